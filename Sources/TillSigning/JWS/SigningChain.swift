import Crypto
import Foundation
import SwiftASN1
import X509

/// Leaf, intermediate and root, with the keys that sign: turns payloads into the JWS that receivers verify.
///
/// The header, more than 3 kB of certificates, is the same for everything a chain signs. It is encoded once, and its
/// SHA-256 state is computed once: signing hashes only the payload. See docs/api/signed-data.md.
///
/// A class, because its dozen immutable parts are passed to everything that signs.
package final class SigningChain: Sendable, CustomStringConvertible {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let leafPrivateKey: P256.Signing.PrivateKey
    /// Issues the OCSP responder for the leaf.
    let intermediatePrivateKey: P384.Signing.PrivateKey

    /// The three certificates as DER: leaf, intermediate, root.
    package let certificatesDER: [[UInt8]]
    /// The chain's id: the first 16 hexadecimal digits of the SHA-256 of the leaf's DER.
    package let id: String
    /// The first segment of every JWS: base64url of `{"alg":"ES256","x5c":[…]}`.
    ///
    /// It contains neither `-` nor `_`, so it is also valid standard Base64, which one existing client expects. Only
    /// `>`, `?`, `~` and bytes outside ASCII can produce those two characters, and the JSON contains none of them,
    /// because the certificates in it are standard Base64.
    package let headerSegment: [UInt8]
    /// The SHA-256 state after ``headerSegment`` and the dot. A value: each signature starts from a copy.
    let hashAfterHeader: SHA256

    /// Issues a new intermediate and a new leaf, with new keys.
    ///
    /// - Parameter ocspURL: the OCSP address for both certificates, `http://…` or `https://…` in ASCII. It cannot be
    ///   changed afterwards.
    /// - Throws: ``SigningError`` when the URL is invalid.
    package static func issue(under root: RootAuthority, ocspURL: String) throws(SigningError) -> SigningChain {
        guard isUsable(ocspURL) else {
            let rule = "it is http:// or https:// and ASCII without spaces"
            throw SigningError(.unusableValue, .leaf, "cannot have this OCSP URL: \(rule)")
        }
        let intermediateKey = P384.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let intermediate = try SigningError.wrapping(.cryptography, .intermediate, "could not be made") {
            try CertificateProfile.intermediate(
                key: intermediateKey.publicKey,
                under: root.certificate,
                rootKey: root.privateKey,
                ocspURL: ocspURL
            )
        }
        let leaf = try SigningError.wrapping(.cryptography, .leaf, "could not be made") {
            try CertificateProfile.leaf(
                key: leafKey.publicKey,
                under: intermediate,
                intermediateKey: intermediateKey,
                ocspURL: ocspURL
            )
        }
        return try SigningChain([leaf, intermediate, root.certificate], leafKey, intermediateKey)
    }

    /// The ``id`` of the chain with this leaf.
    package static func id(ofLeaf der: [UInt8]) -> String {
        String(Hexadecimal.text(SHA256.hash(data: der)).prefix(16))
    }

    /// The root certificate alone, PEM.
    package var rootCertificatePEM: String { CertificateText.pem(of: certificatesDER[2]) }

    /// SHA-256 of the root certificate, hexadecimal, which users compare before they trust it.
    package var rootFingerprint: String { Hexadecimal.text(SHA256.hash(data: certificatesDER[2])) }

    /// Reads ``certificatesPEM``, ``leafPrivateKeyPEM`` and ``intermediatePrivateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` that names the part: `unreadable`, `mismatchedKey`, or `brokenChain` when the three
    ///   certificates do not form a chain or lack what verifiers require.
    package convenience init(
        certificatesPEM: String,
        leafPrivateKeyPEM: Secret,
        intermediatePrivateKeyPEM: Secret
    ) throws(SigningError) {
        let parts: [ChainPart] = [.leaf, .intermediate, .root]
        let documents = try CertificateText.documents(certificatesPEM, .leaf)
        guard documents.count == parts.count else {
            let reason = "must be the first of three PEM blocks (leaf, intermediate, root), found \(documents.count)"
            throw SigningError(.unreadable, .leaf, reason)
        }
        var certificates: [Certificate] = []
        for (document, part) in zip(documents, parts) {
            certificates.append(try CertificateText.certificate(document, part))
        }
        try self.init(
            certificates,
            try CertificateText.p256(leafPrivateKeyPEM, .leafKey),
            try CertificateText.p384(intermediatePrivateKeyPEM, .intermediateKey)
        )
    }

    /// - Parameter certificates: leaf, intermediate, root.
    private init(
        _ certificates: [Certificate],
        _ leafKey: P256.Signing.PrivateKey,
        _ intermediateKey: P384.Signing.PrivateKey
    ) throws(SigningError) {
        leaf = certificates[0]
        intermediate = certificates[1]
        root = certificates[2]
        leafPrivateKey = leafKey
        intermediatePrivateKey = intermediateKey
        guard leaf.publicKey == Certificate.PublicKey(leafKey.publicKey) else {
            throw SigningError(.mismatchedKey, .leafKey, "does not match the leaf certificate")
        }
        guard intermediate.publicKey == Certificate.PublicKey(intermediateKey.publicKey) else {
            throw SigningError(.mismatchedKey, .intermediateKey, "does not match the intermediate certificate")
        }
        let inspection = ChainInspection(leaf: leaf, intermediate: intermediate, root: root)
        if let problem = inspection.problems().first {
            throw SigningError(.brokenChain, problem.part, problem.reason)
        }
        certificatesDER = [
            try CertificateText.der(of: leaf, .leaf),
            try CertificateText.der(of: intermediate, .intermediate),
            try CertificateText.der(of: root, .root),
        ]
        id = Self.id(ofLeaf: certificatesDER[0])
        headerSegment = Self.headerSegment("ES256", certificatesDER)
        var hash = SHA256()
        hash.update(data: headerSegment)
        hash.update(data: [Self.dot])
        hashAfterHeader = hash
    }

    /// The leaf's OCSP address; nil when it has none.
    package var ocspURL: String? {
        let access = try? leaf.extensions.authorityInformationAccess
        return access?.lazy.compactMap { description in
            guard description.method == .ocspServer, case .uniformResourceIdentifier(let url) = description.location
            else { return nil }
            return url
        }.first
    }

    /// Leaf, intermediate and root as three PEM blocks.
    package var certificatesPEM: String { certificatesDER.map(CertificateText.pem).joined() }
    /// The leaf's private key as PEM (PKCS#8).
    package var leafPrivateKeyPEM: Secret { Secret(leafPrivateKey.pemRepresentation + "\n") }
    /// The intermediate's private key as PEM (PKCS#8).
    package var intermediatePrivateKeyPEM: Secret { Secret(intermediatePrivateKey.pemRepresentation + "\n") }
    /// The key that verifies the chain's signatures.
    package var publicKey: VerificationKey { VerificationKey(leafPrivateKey.publicKey) }

    package var description: String { "signing chain \(id)" }

    /// All problems of the chain when its certificates are used at `instant` (milliseconds since 1970); empty when a
    /// verifier that trusts the root accepts it.
    ///
    /// Signatures must be valid both in real time and in the shop's time: check both.
    package func problems(at instant: Int64) -> [ChainProblem] {
        let inspection = ChainInspection(leaf: leaf, intermediate: intermediate, root: root)
        return inspection.problems() + inspection.problems(at: instant)
    }

    /// Whether a text has the form of a chain id.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { Hexadecimal.digits.contains($0) }
    }

    private static func isUsable(_ url: String) -> Bool {
        let isHTTP = ["http://", "https://"].contains { url.hasPrefix($0) && url.utf8.count > $0.utf8.count }
        return isHTTP && url.utf8.count <= 2_048 && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
