import TillControl
import TillCore
import TillShop
import TillSigning

/// The operation that returns the app receipt of a device, or the receipt of a single transaction.
extension ControlAPI {
    var receiptRoutes: [ControlRoute] {
        [
            ControlRoute(GetReceipt.self) { call in
                let account = try await call.account()
                let device = try call.deviceId.map(Self.device)
                if let id = call.transactionId {
                    let (row, owner) = try await call.transaction(id)
                    guard owner.id == account.id else {
                        throw ControlError.notFound(
                            "unknown_transaction",
                            "Transaction \(id) belongs to customer \(owner.customer)."
                        )
                    }
                    let text = try await shop.transactionReceipt(of: row, account, device: device)
                    return ReceiptInfo(receipt: Base64.encode(Array(text.utf8)))
                }
                guard let receipt = try await shop.appReceipt(of: account, device: device) else {
                    throw ControlError.notFound("unknown_app", "The app no longer exists.")
                }
                return ReceiptInfo(receipt: Base64.encode(receipt))
            }
        ]
    }
}
