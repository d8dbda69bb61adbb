import SwiftASN1

/// A question for the state of certificates (RFC 6960), as it came from anybody: taken apart under strict limits.
///
/// A signature over the question is allowed and not looked at: everybody may ask.
struct OCSPRequest: Sendable {
    /// The most bytes of a question. That of a client for one certificate has about a hundred.
    static let longest = 16_384
    /// The most certificates of a question.
    static let mostCertificates = 32
    /// The most bytes of a nonce (RFC 9654).
    static let longestNonce = 128

    private static let nonceIdentifier: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]

    /// One certificate, named by its issuer and its number.
    struct CertificateID: Sendable {
        /// The whole value as it came; the answer repeats it byte for byte, as one client compares it so.
        let encoded: [UInt8]
        let hash: ASN1ObjectIdentifier
        let issuerNameHash: [UInt8]
        let issuerKeyHash: [UInt8]
        /// Without leading zeros.
        let serial: [UInt8]
    }

    /// At least one.
    let certificates: [CertificateID]
    /// The value of the nonce extension, which the answer repeats; nil when none was sent.
    let nonce: [UInt8]?

    /// Why a question is not understood; nobody is told more.
    struct Malformed: Error {}

    /// Reads DER.
    init(_ der: [UInt8]) throws(Malformed) {
        guard der.count <= Self.longest else { throw Malformed() }
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
                    guard certificates.count < mostCertificates else { throw Malformed() }
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

    /// An entry of the list.
    private static func certificate(_ entry: ASN1Node) throws -> CertificateID {
        try DER.sequence(entry, identifier: .sequence) { nodes in
            guard let node = nodes.next() else { throw Malformed() }
            let extensions = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { $0 }
            // Extensions of one entry are not known here; one that may not be passed over makes the question unclear.
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
                // Its parameters, NULL or none.
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

    /// The value of the nonce among the extensions. Any other that may not be passed over is refused.
    private static func nonce(in extensions: ASN1Node) throws -> [UInt8]? {
        var nonce: [UInt8]?
        try eachExtension(in: extensions) { identifier, critical, value in
            if identifier == nonceIdentifier {
                // Most clients wrap it once more; what counts is that it is not empty and not endless.
                guard nonce == nil, (1...longestNonce + 4).contains(value.count) else { throw Malformed() }
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
