import TillControl
import TillJSON

/// A case of the attack pack: a notification or a receipt.
struct AttackEntry {
    let name: String
    let wrong: String
    let mustBeRefused: Bool
    /// How a correct verifier refuses it.
    let expectation: String
    /// The signed notification, or the receipt.
    let data: String
    /// A signed transaction with the same flaw; nil for a receipt.
    let transaction: String?
    /// The body of the request to a backend.
    let body: JSONTree

    init(_ info: AttackInfo) {
        name = info.case.rawValue
        wrong = info.wrong
        mustBeRefused = info.mustBeRefused
        expectation = "refusal: \(info.refusal)"
        data = info.signedPayload
        transaction = info.signedTransactionInfo
        body = .members(["signedPayload": .string(info.signedPayload)])
    }

    init(_ info: ReceiptAttackInfo) {
        name = info.case.rawValue
        wrong = info.wrong
        mustBeRefused = info.mustBeRefused
        expectation = "status: \(info.status)"
        data = info.receipt
        transaction = nil
        body = .members(["receipt-data": .string(info.receipt), "deviceId": .string(info.deviceId)])
    }
}
