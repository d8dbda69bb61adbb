import TillControl
import TillShop
import TillSigning

/// Operations that return app receipts of a device, and receipts of single transactions.
extension ControlAPI {
    var receiptRoutes: [ControlRoute] {
        [
            ControlRoute(GetReceipt.self) { call in
                let account = try await call.account()
                let device = try call.deviceId.map(Self.device)
                guard let receipt = try await shop.appReceipt(of: account, device: device) else {
                    throw ControlError.notFound("unknown_app", "The app no longer exists.")
                }
                return ReceiptInfo(receipt: Base64.encode(receipt))
            },
            ControlRoute(GetTransactionReceipt.self) { call in
                let (row, account) = try await call.transaction()
                let device = try call.deviceId.map(Self.device)
                let text = try await shop.transactionReceipt(of: row, account, device: device)
                return ReceiptInfo(receipt: Base64.encode(Array(text.utf8)))
            },
        ]
    }
}
