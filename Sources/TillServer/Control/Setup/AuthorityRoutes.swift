import HTTPTypes
import Logging
import TillControl
import TillShop
import TillSigning
import TillStorage

/// Operations on the certificates that sign data.
extension ControlAPI {
    var authorityRoutes: [ControlRoute] {
        [
            ControlRoute(GetAuthority.self) { call in
                guard call.receipts == true else { return AuthorityInfo(shop.signingChain) }
                return AuthorityInfo(try await shop.receiptKeys.signing().chain)
            },
            ControlRoute(RotateChain.self) { _ in AuthorityInfo(try await rotateChain()) },
        ]
    }

    private func rotateChain() async throws -> SigningChain {
        guard let directory = facts.dataDirectory else {
            throw ControlError.conflict(
                "no_directory",
                "This server stores no certificates, so it cannot rotate the chain."
            )
        }
        do {
            return try await shop.rotateChain(in: CertificateStore(directory), ocspURL: facts.ocspURL)
        } catch let refused as DirectoryRefused {
            shop.logger.error("the chain was not rotated", metadata: ["cause": "\(refused.logText)"])
            throw ControlError(
                status: .serviceUnavailable,
                code: "not_rotated",
                message: "The chain was not rotated. \(refused.description)"
            )
        }
    }
}

extension AuthorityInfo {
    fileprivate init(_ chain: SigningChain) {
        self.init(
            rootCertificate: chain.rootCertificatePEM,
            rootFingerprint: chain.rootFingerprint,
            chainId: chain.id,
            chain: chain.certificatesPEM
        )
    }

    fileprivate init(_ chain: ReceiptChain) {
        self.init(
            rootCertificate: chain.rootCertificatePEM,
            rootFingerprint: chain.rootFingerprint,
            chainId: chain.id,
            chain: chain.certificatesPEM
        )
    }
}
