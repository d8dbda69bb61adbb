import Crypto
import Foundation
import SwiftASN1
import X509

/// The certificate chain and the keys that sign payloads as JWS: leaf, intermediate and root.
///
/// The JWS header, with more than 3 kB of certificates, is the same for everything that a chain signs. It is encoded
/// and hashed only once, so each signature only needs to hash the payload. See docs/api/signed-data.md.
///
/// The type is a class, because copying a struct with so many parts would be slow.
package final class SigningChain: CertificateChain, CustomStringConvertible {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate
    let leafPrivateKey: P256.Signing.PrivateKey
    /// The intermediate's private key, which issues the certificate of the OCSP responder for the leaf.
    let intermediatePrivateKey: P384.Signing.PrivateKey

    package let certificatesDER: [[UInt8]]
    package let id: String
    /// The header segment of every JWS: `{"alg":"ES256","x5c":[…]}` in base64url.
    ///
    /// One existing client expects standard Base64 here. The segment is also valid standard Base64, because it contains
    /// neither `-` nor `_`: only `>`, `?`, `~` and bytes outside ASCII can produce these two characters, and the JSON
    /// contains none of them.
    package let headerSegment: [UInt8]
    /// The SHA-256 state after ``headerSegment`` and the dot. Each signature continues from a copy of this state.
    let hashAfterHeader: SHA256

    /// Issues a new intermediate and a new leaf, with new keys.
    ///
    /// - Parameter ocspURL: the URL of the OCSP responder, `http://…` or `https://…` in ASCII. Both certificates
    ///   contain the URL, so it cannot be changed later.
    /// - Throws: ``SigningError`` if the URL is invalid.
    package static func issue(under root: RootAuthority, ocspURL: String) throws(SigningError) -> SigningChain {
        guard isUsable(ocspURL) else {
            let rule = "it must begin with http:// or https:// and be ASCII without spaces"
            throw SigningError(.unusableValue, .leaf, "cannot have this OCSP URL: \(rule)")
        }
        let intermediateKey = P384.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()
        let intermediate = try CertificateProfile.intermediate(
            key: intermediateKey,
            under: root.issuer,
            ocspURL: ocspURL
        )
        let leaf = try CertificateProfile.leaf(
            key: leafKey,
            under: .init(certificate: intermediate, key: intermediateKey),
            ocspURL: ocspURL
        )
        return try SigningChain([leaf, intermediate, root.certificate], leafKey, intermediateKey)
    }

    /// Reads a chain from the text of ``certificatesPEM``, ``leafPrivateKeyPEM`` and ``intermediatePrivateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the wrong part and the code `unreadable`, `mismatchedKey`, or `brokenChain` if
    ///   the certificates do not form a chain or lack something that verifiers require.
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
            try P256.Signing.PrivateKey(pem: leafPrivateKeyPEM, .leafKey),
            try P384.Signing.PrivateKey(pem: intermediatePrivateKeyPEM, .intermediateKey)
        )
    }

    /// - Parameter certificates: the leaf, intermediate and root certificates.
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
        hash.update(data: [CompactJWS.dot])
        hashAfterHeader = hash
    }

    /// The URL of the OCSP responder in the leaf; nil if the leaf contains none.
    package var ocspURL: String? {
        let access = try? leaf.extensions.authorityInformationAccess
        return access?.lazy.compactMap { description in
            guard description.method == .ocspServer, case .uniformResourceIdentifier(let url) = description.location
            else { return nil }
            return url
        }.first
    }

    /// The leaf's private key as PEM (PKCS#8).
    package var leafPrivateKeyPEM: Secret { leafPrivateKey.pem }
    /// The intermediate's private key as PEM (PKCS#8).
    package var intermediatePrivateKeyPEM: Secret { intermediatePrivateKey.pem }
    /// The public key that verifies the chain's signatures.
    package var publicKey: VerificationKey { VerificationKey(leafPrivateKey.publicKey) }

    package var description: String { "signing chain \(id)" }

    /// All problems of the chain if a verifier checks its certificates at `instant` (milliseconds since 1970). The
    /// result is empty if a verifier that trusts the root accepts the chain.
    ///
    /// Some verifiers check certificates at the real time, others at the payload's date, so check the chain at both
    /// times.
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
