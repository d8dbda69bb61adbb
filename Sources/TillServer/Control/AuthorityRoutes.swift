import HTTPTypes
import TillShop
import TillSigning

/// The certificates that sign.
extension ControlAPI {
    private static let authority = Schema.object(
        "The certificates in use.",
        [
            Schema.required("rootCertificate", .string("The root, PEM: what verifiers are given.")),
            Schema.required("rootFingerprint", .string("SHA-256 of the root, hexadecimal.")),
            Schema.required("chainId", .string("The chain that signs now.")),
            Schema.required("chain", .string("Leaf, intermediate and root, PEM.")),
        ]
    )

    var authorityRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/ca",
                id: "getAuthority",
                tag: "certificates",
                summary: "The root certificate and the chain that signs.",
                response: Self.authority
            ) { _ in authority() },
            ControlRoute(
                method: .post,
                path: "/v1/ca/rotate",
                id: "rotateChain",
                tag: "certificates",
                summary: "Issues a new leaf and intermediate under the same root; what was signed keeps verifying.",
                response: Self.authority
            ) { _ in
                guard let directory = facts.dataDirectory else {
                    throw ControlError.conflict("no_directory", "This server keeps its certificates in memory.")
                }
                let certificates = CertificateStore(directory)
                let chain = try certificates.rotate(under: try certificates.root(), ocspURL: facts.ocspURL)
                // Who is asked about the chain must know it before anything is signed with it.
                try shop.authority.add(chain)
                try await shop.sign(with: chain)
                return authority()
            },
        ]
    }

    private func authority() -> [UInt8] {
        let chain = shop.signingChain
        var json = PayloadWriter(capacity: 8_192)
        json.put("rootCertificate", chain.rootCertificatePEM)
        json.put("rootFingerprint", chain.rootFingerprint)
        json.put("chainId", chain.id)
        json.put("chain", chain.certificatesPEM)
        return json.finish()
    }
}
