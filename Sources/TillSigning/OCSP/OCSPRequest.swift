import SwiftASN1

/// An OCSP request for the state of certificates (RFC 6960) from any client, parsed under strict limits.
///
/// The request may be signed; the signature is not checked, because anybody may ask.
struct OCSPRequest: Sendable {
    /// The maximum size of a request in bytes. A request for one certificate has about a hundred.
    static let maxBytes = 16_384
    /// The maximum number of certificates in a request.
    static let maxCertificates = 32
    /// The maximum size of a nonce in bytes (RFC 9654).
    static let maxNonceLength = 128

    private static let nonceIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]

    /// One certificate, named by its issuer and its serial number.
    struct CertificateID: Sendable {
        /// The complete value as received; the answer repeats it byte for byte, because one client compares it that
        /// way.
        let encoded: [UInt8]
        let hash: ASN1ObjectIdentifier
        let issuerNameHash: [UInt8]
        let issuerKeyHash: [UInt8]
        /// Without leading zeros.
        let serial: [UInt8]
    }

    /// At least one.
    let certificates: [CertificateID]
    /// The value of the nonce extension, which the answer repeats; nil if none was sent.
    let nonce: [UInt8]?

    /// The request is malformed; the client gets no details.
    struct Malformed: Error {}

    /// Reads DER.
    init(_ der: [UInt8]) throws(Malformed) {
        guard der.count <= Self.maxBytes else { throw Malformed() }
        do {
            let body = try DER.sequence(try DER.parse(der), identifier: .sequence) { nodes in
                guard let tbs = nodes.next() else { throw Malformed() }
                // The signature.
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
            // The requestor's name.
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

    /// Reads an entry of the list.
    private static func certificate(_ entry: ASN1Node) throws -> CertificateID {
        try DER.sequence(entry, identifier: .sequence) { nodes in
            guard let node = nodes.next() else { throw Malformed() }
            let extensions = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { $0 }
            // Till knows no extensions of an entry; a critical one makes the request malformed.
            if let extensions {
                try eachExtension(in: extensions) { _, critical, _ in if critical { throw Malformed() } }
            }
            return try identifier(node)
        }
    }

    private static func identifier(_ node: ASN1Node) throws -> CertificateID {
        try DER.sequence(node, identifier: .sequence) { nodes in
            guard let algorithm = nodes.next() else { throw Malformed() }
            let hash = try DER.sequence(algorithm, identifier: .sequence) { parts in
                let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                // The parameters: NULL or absent.
                _ = parts.next()
                return identifier
            }
            let name = try ASN1OctetString(derEncoded: &nodes)
            let key = try ASN1OctetString(derEncoded: &nodes)
            let serial = try ArraySlice<UInt8>(derEncoded: &nodes)
            return CertificateID(
                encoded: Array(node.encodedBytes),
                hash: hash,
                issuerNameHash: Array(name.bytes),
                issuerKeyHash: Array(key.bytes),
                serial: Array(serial.drop { $0 == 0 })
            )
        }
    }

    /// The value of the nonce among the extensions. Any other critical extension is rejected.
    private static func nonce(in extensions: ASN1Node) throws -> [UInt8]? {
        var nonce: [UInt8]?
        try eachExtension(in: extensions) { identifier, critical, value in
            if identifier == nonceIdentifier {
                // Most clients wrap it in another octet string, so only emptiness and an excessive size are checked.
                guard nonce == nil, (1...maxNonceLength + 4).contains(value.count) else { throw Malformed() }
                nonce = value
            } else if critical {
                throw Malformed()
            }
        }
        return nonce
    }

    private static func eachExtension(
        in node: ASN1Node,
        _ body: (ASN1ObjectIdentifier, Bool, [UInt8]) throws -> Void
    ) throws {
        try DER.sequence(node, identifier: .sequence) { nodes in
            while let entry = nodes.next() {
                try DER.sequence(entry, identifier: .sequence) { parts in
                    let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
                    let critical: Bool = try DER.decodeDefault(&parts, defaultValue: false)
                    let value = try ASN1OctetString(derEncoded: &parts)
                    try body(identifier, critical, Array(value.bytes))
                }
            }
        }
    }

    private static func skip(_ tag: UInt, in nodes: inout ASN1NodeCollection.Iterator) throws {
        _ = try DER.optionalExplicitlyTagged(&nodes, tagNumber: tag, tagClass: .contextSpecific) { $0 }
    }
}
