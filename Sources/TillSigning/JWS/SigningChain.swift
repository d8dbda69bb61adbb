import Crypto
import Foundation
import SwiftASN1
import X509

/// Leaf, intermediate and root, with the keys that sign: turns payloads into the JWS that receivers verify.
///
/// The header, over 3 kB of certificates, is the same for everything a chain signs. It is encoded once, and its SHA-256
/// is computed once: signing hashes only the payload. See docs/api/signed-data.md.
///
/// One object, because it is handed to whatever signs and has a dozen parts that nobody changes.
package final class SigningChain: Sendable, CustomStringConvertible {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let leafPrivateKey: P256.Signing.PrivateKey
    /// Issues the responder that answers for the leaf (OCSP).
    let intermediatePrivateKey: P384.Signing.PrivateKey

    /// The three certificates as DER: leaf, intermediate, root.
    package let certificatesDER: [[UInt8]]
    /// Names the chain: the first 16 hexadecimal digits of the SHA-256 of the leaf's DER.
    package let id: String
    /// The first segment of every JWS: base64url of `{"alg":"ES256","x5c":[…]}`.
    ///
    /// It has neither `-` nor `_`, so it reads the same as standard Base64, which one client in the field expects.
    /// That follows from what is encoded: only `>`, `?`, `~` and bytes outside ASCII can produce those two, and
    /// the JSON is ASCII without them, as the certificates stand in it as standard Base64.
    package let headerSegment: [UInt8]
    /// SHA-256 after ``headerSegment`` and the dot. A value: each signature starts from a copy.
    let hashAfterHeader: SHA256

    /// Issues a new intermediate and a new leaf, with new keys.
    ///
    /// - Parameter ocspURL: where receivers ask whether the certificates are revoked, `http://…` or `https://…` in
    ///   ASCII. It stands in both certificates and cannot be changed afterwards.
    /// - Throws: ``SigningError`` when the URL cannot be used.
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

    /// The ``id`` of the chain whose leaf has this DER.
    package static func id(ofLeaf der: [UInt8]) -> String {
        String(Hexadecimal.text(SHA256.hash(data: der)).prefix(16))
    }

    /// The root certificate alone, PEM.
    package var rootCertificatePEM: String { CertificateText.pem(of: certificatesDER[2]) }

    /// SHA-256 of the root certificate, hexadecimal: what users compare before they trust it.
    package var rootFingerprint: String { Hexadecimal.text(SHA256.hash(data: certificatesDER[2])) }

    /// Reads back what ``certificatesPEM``, ``leafPrivateKeyPEM`` and ``intermediatePrivateKeyPEM`` wrote.
    ///
    /// - Throws: ``SigningError``: `unreadable`, `mismatchedKey`, or `brokenChain` when the three certificates do not
    ///   lead to each other or lack what verifiers ask for. It names the part.
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
            throw SigningError(.mismatchedKey, .leafKey, "does not fit the leaf certificate")
        }
        guard intermediate.publicKey == Certificate.PublicKey(intermediateKey.publicKey) else {
            throw SigningError(.mismatchedKey, .intermediateKey, "does not fit the intermediate certificate")
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
        let quoted = certificatesDER.map { "\"\(Base64.encode($0))\"" }.joined(separator: ",")
        headerSegment = Base64URL.encode(Array("{\"alg\":\"ES256\",\"x5c\":[\(quoted)]}".utf8))
        var hash = SHA256()
        hash.update(data: headerSegment)
        hash.update(data: [Self.dot])
        hashAfterHeader = hash
    }

    /// The address that the leaf names for OCSP; nil when it names none.
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
    /// The key that verifies what the chain signs.
    package var publicKey: VerificationKey { VerificationKey(leafPrivateKey.publicKey) }

    package var description: String { "signing chain \(id)" }

    /// All that is wrong with the chain when its certificates are used at `instant` (milliseconds since 1970); empty
    /// when a verifier that trusts the root accepts it.
    ///
    /// Signatures must be valid at the wall clock's time and at the shop's: ask for both.
    package func problems(at instant: Int64) -> [ChainProblem] {
        let inspection = ChainInspection(leaf: leaf, intermediate: intermediate, root: root)
        return inspection.problems() + inspection.problems(at: instant)
    }

    /// Whether a text is an id as chains have it.
    package static func isID(_ text: String) -> Bool {
        text.utf8.count == 16 && text.utf8.allSatisfy { Hexadecimal.digits.contains($0) }
    }

    private static func isUsable(_ url: String) -> Bool {
        let isHTTP = ["http://", "https://"].contains { url.hasPrefix($0) && url.utf8.count > $0.utf8.count }
        return isHTTP && url.utf8.count <= 2_048 && url.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}
