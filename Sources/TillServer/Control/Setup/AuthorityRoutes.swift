import HTTPTypes
import Logging
import TillControl
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// Operations on the certificates that sign data.
extension ControlAPI {
    private static let authority = Schema.object(
        "The certificates that sign data now.",
        [
            Schema.required("rootCertificate", .string("The root certificate that verifiers must trust, PEM.")),
            Schema.required("rootFingerprint", .string("The SHA-256 fingerprint of the root, hexadecimal.")),
            Schema.required("chainId", .string("The id of the chain that signs now.")),
            Schema.required("chain", .string("The leaf, intermediate and root certificates, PEM.")),
        ]
    )

    var authorityRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/ca",
                id: "getAuthority",
                tag: "certificates",
                summary: "Shows the root certificate and the signing chain.",
                response: Self.authority
            ) { _ in authority(shop.signingChain) },
            ControlRoute(
                method: .post,
                path: "/v1/ca/rotate",
                id: "rotateChain",
                tag: "certificates",
                summary:
                    "Issues a new leaf and intermediate under the same root. Existing signatures stay valid.",
                response: Self.authority
            ) { _ in
                guard let directory = facts.dataDirectory else {
                    throw ControlError.conflict(
                        "no_directory",
                        "This server stores no certificates, so it cannot rotate the chain."
                    )
                }
                do {
                    let certificates = CertificateStore(directory)
                    return authority(try await shop.rotateChain(in: certificates, ocspURL: facts.ocspURL))
                } catch let refused as DirectoryRefused {
                    shop.logger.error("the chain was not rotated", metadata: ["cause": "\(refused.logText)"])
                    throw ControlError(
                        status: .serviceUnavailable,
                        code: "not_rotated",
                        message: "The chain was not rotated. \(refused.description)"
                    )
                }
            },
        ]
    }

    private func authority(_ chain: SigningChain) -> [UInt8] {
        var json = JSONWriter(capacity: 8_192)
        json.put("rootCertificate", chain.rootCertificatePEM)
        json.put("rootFingerprint", chain.rootFingerprint)
        json.put("chainId", chain.id)
        json.put("chain", chain.certificatesPEM)
        return json.finish()
    }
}
