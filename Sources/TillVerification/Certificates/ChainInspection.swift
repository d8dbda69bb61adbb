import Crypto
import Foundation
import SwiftASN1
import X509

/// Checks a certificate chain like the strictest verifier in Apple's official libraries, and reports all problems.
///
/// See docs/api/signed-data.md.
package struct ChainInspection {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate

    /// Inspects three certificates.
    package init(leaf: Certificate, intermediate: Certificate, root: Certificate) {
        (self.leaf, self.intermediate, self.root) = (leaf, intermediate, root)
    }

    /// The problems that do not depend on time: wrong signatures, names, extensions and kinds of keys.
    package func problems() -> [ChainProblem] {
        Self.problems(ofRoot: root)
            + Self.problems(of: intermediate, .intermediate, under: root, .root)
            + Self.problems(ofAuthority: intermediate, .intermediate)
            + Self.problems(of: leaf, .leaf, under: intermediate, .intermediate)
            + Self.problems(ofLeaf: leaf)
            + Self.problems(ofMarker: CertificateMarker.intermediate, in: intermediate, .intermediate)
            + Self.problems(ofMarker: CertificateMarker.leaf, in: leaf, .leaf)
    }

    /// The problems of certificates that are not valid at `instant`, in milliseconds since 1970.
    package func problems(at instant: Int64) -> [ChainProblem] {
        let date = Date(timeIntervalSince1970: Double(instant) / 1_000)
        let parts: [(ChainPart, Certificate)] = [(.root, root), (.intermediate, intermediate), (.leaf, leaf)]
        return parts.compactMap { part, certificate in
            if date < certificate.notValidBefore {
                ChainProblem(part: part, reason: "is not valid before \(certificate.notValidBefore)")
            } else if date > certificate.notValidAfter {
                ChainProblem(part: part, reason: "is not valid after \(certificate.notValidAfter)")
            } else {
                nil
            }
        }
    }

    /// The reasons why verifiers reject a certificate as a root.
    package static func problems(ofRoot root: Certificate) -> [ChainProblem] {
        let isSigned = root.publicKey.isValidSignature(root.signature, for: root)
        let own = problems(
            .root,
            (root.subject == root.issuer, "is not its own issuer"),
            (isSigned, "is not signed with its own key")
        )
        return own + problems(ofAuthority: root, .root)
    }

    static let notAuthority = "is not marked as a certificate authority (basicConstraints)"
    static let isAuthority = "is marked as a certificate authority (basicConstraints)"

    private static func problems(ofAuthority certificate: Certificate, _ part: ChainPart) -> [ChainProblem] {
        let (usage, identifier) = (
            try? certificate.extensions.keyUsage, try? certificate.extensions.subjectKeyIdentifier
        )
        return problems(
            part,
            (certificate.isAuthority, notAuthority),
            (usage?.keyCertSign == true, "may not sign certificates (keyUsage)"),
            (identifier != nil, "has no subject key identifier")
        )
    }

    private static func problems(ofLeaf leaf: Certificate) -> [ChainProblem] {
        let usage = try? leaf.extensions.keyUsage
        return problems(
            .leaf,
            (usage?.digitalSignature == true, "may not sign data (keyUsage)"),
            (P256.Signing.PublicKey(leaf.publicKey) != nil, "has no P-256 key, which ES256 requires"),
            (!leaf.isAuthority, isAuthority)
        )
    }

    private static func problems(
        of certificate: Certificate,
        _ part: ChainPart,
        under issuer: Certificate,
        _ issuerPart: ChainPart
    ) -> [ChainProblem] {
        let extensions = certificate.extensions
        let isSigned = issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
        let own = try? extensions.subjectKeyIdentifier?.keyIdentifier
        let authority = try? extensions.authorityKeyIdentifier?.keyIdentifier
        let expected = try? issuer.extensions.subjectKeyIdentifier?.keyIdentifier
        let access = (try? extensions.authorityInformationAccess).map(Array.init) ?? []
        let name = issuerPart.rawValue
        return problems(
            part,
            (certificate.issuer == issuer.subject, "names an issuer other than the \(name)"),
            (isSigned, "is not signed by the \(name)"),
            (own != nil, "has no subject key identifier"),
            (authority != nil && authority == expected, "has no authority key identifier that matches the \(name)"),
            (access.contains { $0.method == .ocspServer }, "has no OCSP address")
        )
    }

    private static func problems(
        ofMarker marker: ASN1ObjectIdentifier,
        in certificate: Certificate,
        _ part: ChainPart
    ) -> [ChainProblem] {
        let mark = certificate.extensions[oid: marker]
        return problems(
            part,
            (mark != nil, "lacks the marker extension \(marker)"),
            (mark?.critical != true, "has a critical marker extension, which some verifiers do not find")
        )
    }

    /// The problems of one part: the reasons of the checks that do not hold.
    private static func problems(_ part: ChainPart, _ checks: (holds: Bool, reason: String)...) -> [ChainProblem] {
        checks.filter { !$0.holds }.map { ChainProblem(part: part, reason: $0.reason) }
    }
}

extension Certificate {
    /// Whether the certificate is marked as one that may issue others.
    var isAuthority: Bool {
        guard case .isCertificateAuthority = try? extensions.basicConstraints else { return false }
        return true
    }
}
