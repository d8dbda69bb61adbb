import Crypto
import SwiftASN1
import TillJSON
import X509

/// Verifies a signed text with the certificates in its header, and reports all problems.
package struct JWSInspection: Sendable {
    /// The certificates in `x5c`, in order, without unreadable certificates.
    package private(set) var certificates: [CertificateFacts] = []
    /// The kind of root; nil if the header has no certificates.
    package private(set) var root: ChainRoot?
    /// The id of the chain, which its leaf determines; nil if the header has no certificates.
    package private(set) var chainID: String?
    /// All problems, one sentence for each; empty if a verifier that trusts the root accepts the text.
    package private(set) var problems: [String] = []

    /// The maximum number of certificates that are read from `x5c`.
    private static let maxCertificates = 10

    /// - Parameters:
    ///   - roots: the trusted roots, as DER.
    ///   - instant: the date at which the certificates must be valid, in milliseconds since 1970.
    package init(_ jws: CompactJWS, trusting roots: [[UInt8]], at instant: Int64) {
        let algorithm = jws.headerString("alg")
        if algorithm != "ES256" {
            let found = algorithm.map(Words.quoted) ?? "missing"
            problems.append("The header's alg is \(found); it must be \"ES256\".")
        }
        let ders = Self.certificates(in: jws)
        guard !ders.isEmpty else {
            problems.append("The header has no certificates (x5c), so the signer is unknown.")
            return
        }
        root = ders.last.map { ChainRoot($0, trusting: roots) }
        chainID = CertificateText.chainID(ofLeaf: ders[0])
        var parsed: [Certificate] = []
        for der in ders {
            guard let certificate = try? Certificate(derEncoded: der) else {
                problems.append("The header has a certificate that cannot be read.")
                continue
            }
            parsed.append(certificate)
            certificates.append(CertificateFacts(certificate, der))
        }
        if ders.count == 1 {
            problems.append("The header has one certificate, as in Xcode's signed data; the App Store sends three.")
        }
        if ders.count == 2 || ders.count > 3 {
            problems.append("The header has \(ders.count) certificates; the App Store sends three.")
        }
        if parsed.count == 3 {
            let chain = ChainInspection(leaf: parsed[0], intermediate: parsed[1], root: parsed[2])
            problems += (chain.problems() + chain.problems(at: instant)).map { Self.sentence($0.description) }
        }
        let key = parsed.first.flatMap { P256.Signing.PublicKey($0.publicKey) }.map { VerificationKey($0) }
        if key.map(jws.verify) != true {
            problems.append("The signature is invalid: the text was changed after signing, or signed with another key.")
        }
    }

    private static func certificates(in jws: CompactJWS) -> [[UInt8]] {
        guard case .array(let elements)? = jws.header["x5c"] else { return [] }
        return elements.prefix(maxCertificates).map { element in
            guard case .string(let text) = element else { return [] }
            return Base64.decode(text) ?? []
        }
    }

    private static func sentence(_ words: String) -> String { words.prefix(1).uppercased() + words.dropFirst() + "." }
}
