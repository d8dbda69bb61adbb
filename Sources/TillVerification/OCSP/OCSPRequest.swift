import SwiftASN1
import X509

/// An OCSP request for the state of certificates (RFC 6960). Because any client may send one, it is parsed under strict
/// limits.
///
/// A request may be signed. The signature is not checked, because requests need no authorization.
package struct OCSPRequest: Sendable {
    /// The maximum size of a request in bytes. A request for one certificate has about a hundred bytes.
    package static let maxBytes = 16_384
    /// The maximum number of certificates in a request.
    static let maxCertificates = 32
    /// The maximum size of a nonce in bytes (RFC 9654).
    static let maxNonceLength = 128

    private static let nonceIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]

    /// The id of a certificate: its issuer and its serial number.
    package struct CertificateID: Sendable {
        /// The complete encoded id. The response repeats it byte for byte, because one client compares the bytes.
        package let encoded: [UInt8]
        /// The issuer.
        package let issuer: OCSPIssuer
        /// The serial number without leading zeros.
        package let serial: [UInt8]
    }

    /// The certificates in the request; at least one.
    package let certificates: [CertificateID]
    /// The value of the nonce extension, which the response repeats; nil if the request has no nonce.
    package let nonce: [UInt8]?

    /// The error for a malformed request. The client receives no details.
    package struct Malformed: Error {}

    /// Parses a request in DER.
    package init(_ der: [UInt8]) throws(Malformed) {
        guard der.count <= Self.maxBytes else { throw Malformed() }
        do {
            let body = try DER.sequence(try DER.parse(der), identifier: .sequence) { nodes in
                guard let tbs = nodes.next() else { throw Malformed() }
                // Skips the optional signature.
                try Self.skip(0, in: &nodes)
                return try Self.body(tbs)
            }
            certificates = body.certificates
            nonce = body.nonce
        } catch {
            throw Malformed()
        }
        guard !certificates.isEmpty else { throw Malformed() }
    }

    private static func body(_ tbs: ASN1Node) throws -> (certificates: [CertificateID], nonce: [UInt8]?) {
        try DER.sequence(tbs, identifier: .sequence) { nodes in
            let version = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try Int(derEncoded: $0)
            }
            guard version ?? 0 == 0 else { throw Malformed() }
            // Skips the optional name of the requestor.
            try skip(1, in: &nodes)
            guard let list = nodes.next() else { throw Malformed() }
            let certificates = try DER.sequence(list, identifier: .sequence) { entries in
                var certificates: [CertificateID] = []
                while let entry = entries.next() {
                    guard certificates.count < maxCertificates else { throw Malformed() }
                    certificates.append(try certificate(entry))
                }
                return certificates
            }
            let nonce = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 2, tagClass: .contextSpecific) {
                try Self.nonce(in: $0)
            }
            return (certificates, nonce.flatMap(\.self))
        }
    }

    /// Reads one entry of the certificate list.
    private static func certificate(_ entry: ASN1Node) throws -> CertificateID {
        try DER.sequence(entry, identifier: .sequence) { nodes in
            guard let node = nodes.next() else { throw Malformed() }
            let extensions = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) {
                try Self.extensions(in: $0)
            }
            // Till supports no extensions of an entry, so a critical extension makes the request malformed.
            guard extensions?.contains(where: \.critical) != true else { throw Malformed() }
            return try identifier(node)
        }
    }

    private static func identifier(_ node: ASN1Node) throws -> CertificateID {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard let algorithm = nodes.next() else { throw Malformed() }
            let hash = try DER.sequence(algorithm, identifier: .sequence) { parts in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                // Skips the parameters, which are NULL or absent.
                _ = parts.next()
                return identifier
            }
            let name = try ASN1OctetString(derEncoded: &nodes)
            let key = try ASN1OctetString(derEncoded: &nodes)
            let serial = try ArraySlice<UInt8>(derEncoded: &nodes)
            return CertificateID(
                encoded: Array(node.encodedBytes),
                issuer: OCSPIssuer(hash: hash, nameHash: Array(name.bytes), keyHash: Array(key.bytes)),
                serial: Array(serial.drop { $0 == 0 })
            )
        }
    }

    /// Finds the nonce among the extensions. Any other critical extension is rejected.
    private static func nonce(in node: ASN1Node) throws -> [UInt8]? {
        let extensions = try extensions(in: node)
        let nonces = extensions.filter { $0.oid == nonceIdentifier }.map(\.value)
        let hasOther = extensions.contains { $0.oid != nonceIdentifier && $0.critical }
        // Most clients wrap the nonce in another octet string, so its length may exceed the maximum by the header of
        // that octet string.
        let lengths = 1...maxNonceLength + 4
        guard !hasOther, nonces.count <= 1, nonces.allSatisfy({ lengths.contains($0.count) }) else { throw Malformed() }
        return nonces.first.map { Array($0) }
    }

    private static func extensions(in node: ASN1Node) throws -> [Certificate.Extension] {
        try DER.sequence(of: Certificate.Extension.self, identifier: .sequence, rootNode: node)
    }

    private static func skip(_ tag: UInt, in nodes: inout ASN1NodeCollection.Iterator) throws {
        _ = try DER.optionalExplicitlyTagged(&nodes, tagNumber: tag, tagClass: .contextSpecific) { $0 }
    }
}
