import SwiftASN1
import X509

/// Checks the three certificates of a receipt as a receipt verifier does, and reports all problems.
///
/// See docs/api/receipts/app-receipts.md.
package struct ReceiptChainInspection: Sendable {
    /// The leaf certificate.
    package let leaf: Certificate
    /// The intermediate certificate.
    package let intermediate: Certificate
    /// The root certificate.
    package let root: Certificate
    /// The encoded parts of the leaf, intermediate and root certificates.
    package let anatomies: [CertificateAnatomy]

    static let parts: [ChainPart] = [.leaf, .intermediate, .root]

    /// Reads the leaf, intermediate and root certificates.
    ///
    /// - Throws: ``SigningError`` with the unreadable part and the code `unreadable`.
    package init(certificatesDER: [[UInt8]]) throws(SigningError) {
        guard certificatesDER.count == Self.parts.count else {
            let reason =
                "must be the first of three certificates (leaf, intermediate, root), "
                + "found \(certificatesDER.count)"
            throw SigningError(.unreadable, .leaf, reason)
        }
        var certificates: [Certificate] = []
        var anatomies: [CertificateAnatomy] = []
        for (der, part) in zip(certificatesDER, Self.parts) {
            certificates.append(
                try SigningError.wrapping(.unreadable, part, "cannot be read") { try Certificate(derEncoded: der) }
            )
            anatomies.append(try CertificateAnatomy(der, part))
        }
        (leaf, intermediate, root) = (certificates[0], certificates[1], certificates[2])
        self.anatomies = anatomies
    }

    /// The problems that do not depend on time: wrong signatures, names, extensions and kinds of keys.
    ///
    /// - Parameter accepted: the hash algorithms that are allowed for the signatures of leaf and intermediate. The
    ///   root's own signature does not matter.
    package func problems(accepting accepted: Set<ReceiptAlgorithm>) -> [ChainProblem] {
        var found: [ChainProblem] = []
        func unless(_ holds: Bool, _ part: ChainPart, _ reason: String) {
            if !holds { found.append(ChainProblem(part: part, reason: reason)) }
        }
        unless(root.isAuthority, .root, ChainInspection.notAuthority)
        unless(intermediate.isAuthority, .intermediate, ChainInspection.notAuthority)
        unless(!leaf.isAuthority, .leaf, ChainInspection.isAuthority)
        let pairs = [
            (anatomies[0], ChainPart.leaf, leaf, anatomies[1], intermediate),
            (anatomies[1], ChainPart.intermediate, intermediate, anatomies[2], root),
        ]
        for (anatomy, part, certificate, above, issuer) in pairs {
            unless(anatomy.issuer == above.subject, part, "has an issuer name that is not its issuer's subject")
            let isAccepted = accepted.contains { $0.certificateSignature[...] == anatomy.algorithm }
            unless(isAccepted, part, "is signed with another algorithm than RSA and SHA-256")
            let isSigned = issuer.publicKey.isValidSignature(certificate.signature, for: certificate)
            unless(isSigned, part, "is not signed by its issuer")
        }
        let usage = try? leaf.extensions.keyUsage
        unless(usage?.digitalSignature == true, .leaf, "may not sign data (keyUsage)")
        unless(leaf.publicKey.rsaBits != nil, .leaf, "has no RSA key")
        let marks = [
            (leaf, ChainPart.leaf, CertificateMarker.leaf),
            (intermediate, ChainPart.intermediate, CertificateMarker.intermediate),
        ]
        for (certificate, part, marker) in marks {
            let mark = certificate.extensions[oid: marker]
            unless(mark?.value == [DERBytes.null, 0], part, "lacks the marker extension \(marker)")
        }
        return found
    }

    /// The problems of certificates that are not valid at `instant`, in milliseconds since 1970.
    package func problems(at instant: Int64) -> [ChainProblem] {
        ChainInspection(leaf: leaf, intermediate: intermediate, root: root).problems(at: instant)
    }
}
