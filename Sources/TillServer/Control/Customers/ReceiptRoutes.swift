import Foundation
import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning

/// Operations that return app receipts of a device, and receipts of single transactions.
extension ControlAPI {
    private static let deviceQuery = Schema.optional(
        "deviceId",
        .string("The device id, a UUID; by default the customer's fixed device.")
    )

    var receiptRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/receipt",
                id: "getReceipt",
                tag: "receipts",
                summary: "Shows the current app receipt of a customer's device.",
                query: [Self.deviceQuery],
                response: .object(
                    "A receipt.",
                    [Schema.required("receipt", .string("The value for receipt-data: Base64, one line."))]
                )
            ) { exchange in
                guard let receipt = try await receipt(of: try await exchange.account(), exchange.query) else {
                    throw ControlError.notFound("unknown_app", "The app no longer exists.")
                }
                return Self.json(receipt)
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/receipt",
                id: "getTransactionReceipt",
                tag: "receipts",
                summary: "Shows the receipt of one transaction, in the format of iOS 6.",
                query: [Self.deviceQuery],
                response: .object(
                    "A receipt.",
                    [Schema.required("receipt", .string("The value for receipt-data: Base64, one line."))]
                )
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                let device = try exchange.query.values("deviceId").first.map(Self.device)
                let text = try await shop.transactionReceipt(of: row, account, device: device)
                return Self.json(Base64.encode(Array(text.utf8)))
            },
            ControlRoute(
                method: .get,
                path: "/v1/ca/receipts",
                id: "getReceiptAuthority",
                tag: "certificates",
                summary: "Shows the certificates of receipts, which have a root certificate of their own.",
                response: .object(
                    "The certificates that sign receipts.",
                    [
                        Schema.required(
                            "rootCertificate",
                            .string("The root certificate that receipt verifiers must trust, PEM.")
                        ),
                        Schema.required(
                            "rootFingerprint",
                            .string("The SHA-256 fingerprint of the root, hexadecimal.")
                        ),
                        Schema.required("chainId", .string("The id of the chain that signs receipts.")),
                        Schema.required("chain", .string("The leaf, intermediate and root certificates, PEM.")),
                    ]
                )
            ) { _ in
                let chain = try await shop.receiptKeys.signing().chain
                var json = JSONWriter(capacity: 8_192)
                json.put("rootCertificate", chain.rootCertificatePEM)
                json.put("rootFingerprint", chain.rootFingerprint)
                json.put("chainId", chain.id)
                json.put("chain", chain.certificatesPEM)
                return json.finish()
            },
        ]
    }

    private func receipt(of account: Account, _ query: Query) async throws -> String? {
        let device = try query.values("deviceId").first.map(Self.device)
        return try await shop.appReceipt(of: account, device: device).map(Base64.encode)
    }

    private static func json(_ receipt: String) -> [UInt8] {
        var json = JSONWriter(capacity: receipt.utf8.count + 32)
        json.put("receipt", receipt)
        return json.finish()
    }
}
