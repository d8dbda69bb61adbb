import Crypto
import Foundation
import SwiftASN1
import X509

/// Checks certificates as strictly as the strictest of Apple's libraries, and reports all problems.
///
/// See docs/api/signed-data.md.
struct ChainInspection {
    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate

    /// The problems that do not depend on time: wrong signatures, names, extensions and kinds of keys.
    func problems() -> [ChainProblem] {
        Self.problems(ofRoot: root)
            + Self.problems(of: intermediate, .intermediate, under: root, .root)
            + Self.problems(ofAuthority: intermediate, .intermediate)
            + Self.problems(of: leaf, .leaf, under: intermediate, .intermediate)
            + Self.problems(ofLeaf: leaf)
            + Self.problems(ofMarker: CertificateProfile.intermediateMarker, in: intermediate, .intermediate)
            + Self.problems(ofMarker: CertificateProfile.leafMarker, in: leaf, .leaf)
    }

    /// The problems of certificates that are not valid at `instant`, in milliseconds since 1970.
    func problems(at instant: Int64) -> [ChainProblem] {
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

    static func problems(ofRoot root: Certificate) -> [ChainProblem] {
        var found = Found(.root)
        found.unless(root.subject == root.issuer, "is not its own issuer")
        found.unless(root.publicKey.isValidSignature(root.signature, for: root), "is not signed with its own key")
        return found.problems + problems(ofAuthority: root, .root)
    }

    private static func problems(ofAuthority certificate: Certificate, _ part: ChainPart) -> [ChainProblem] {
        var found = Found(part)
        found.unless(isMarkedAsAuthority(certificate), "is not marked as a certificate authority (basicConstraints)")
        let usage = try? certificate.extensions.keyUsage
        found.unless(usage?.keyCertSign == true, "may not sign certificates (keyUsage)")
        let identifier = try? certificate.extensions.subjectKeyIdentifier
        found.unless(identifier != nil, "has no subject key identifier")
        return found.problems
    }

    private static func isMarkedAsAuthority(_ certificate: Certificate) -> Bool {
        guard case .isCertificateAuthority = try? certificate.extensions.basicConstraints else { return false }
        return true
    }

    private static func problems(ofLeaf leaf: Certificate) -> [ChainProblem] {
        var found = Found(.leaf)
        let usage = try? leaf.extensions.keyUsage
        found.unless(usage?.digitalSignature == true, "may not sign data (keyUsage)")
        found.unless(P256.Signing.PublicKey(leaf.publicKey) != nil, "has no P-256 key, which ES256 needs")
        found.unless(!isMarkedAsAuthority(leaf), "is marked as a certificate authority (basicConstraints)")
        return found.problems
    }

    private static func problems(
        of certificate: Certificate,
        _ part: ChainPart,
        under issuer: Certificate,
        _ issuerPart: ChainPart
    ) -> [ChainProblem] {
        var found = Found(part)
        let extensions = certificate.extensions
        found.unless(
            certificate.issuer == issuer.subject,
            "has an issuer name that is not the subject of the \(issuerPart.rawValue)"
        )
        found.unless(
            issuer.publicKey.isValidSignature(certificate.signature, for: certificate),
            "is not signed by the \(issuerPart.rawValue)"
        )
        let own = try? extensions.subjectKeyIdentifier?.keyIdentifier
        let authority = try? extensions.authorityKeyIdentifier?.keyIdentifier
        let expected = try? issuer.extensions.subjectKeyIdentifier?.keyIdentifier
        found.unless(own != nil, "has no subject key identifier")
        found.unless(
            authority != nil && authority == expected,
            "has no authority key identifier that matches the \(issuerPart.rawValue)"
        )
        let access = (try? extensions.authorityInformationAccess).map(Array.init) ?? []
        found.unless(access.contains { $0.method == .ocspServer }, "has no OCSP address")
        return found.problems
    }

    private static func problems(
        ofMarker marker: ASN1ObjectIdentifier,
        in certificate: Certificate,
        _ part: ChainPart
    ) -> [ChainProblem] {
        var found = Found(part)
        let mark = certificate.extensions[oid: marker]
        found.unless(mark != nil, "lacks the marker extension \(marker)")
        found.unless(mark?.critical != true, "has a critical marker extension, which some verifiers do not find")
        return found.problems
    }

    /// Collects the problems of one part of the chain.
    private struct Found {
        let part: ChainPart
        var problems: [ChainProblem] = []

        init(_ part: ChainPart) {
            self.part = part
        }

        mutating func unless(_ holds: Bool, _ reason: String) {
            if !holds {
                problems.append(ChainProblem(part: part, reason: reason))
            }
        }
    }
}
