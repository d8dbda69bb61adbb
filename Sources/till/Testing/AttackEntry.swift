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
        transaction = info.signedTransactionInfo
        if let receipt = info.receipt {
            expectation = "status: \(info.status ?? 0)"
            data = receipt
            body = .members(["receipt-data": .string(receipt), "deviceId": .string(info.deviceId ?? "")])
        } else {
            expectation = "refusal: \(info.refusal ?? "")"
            data = info.signedPayload ?? ""
            body = .members(["signedPayload": .string(data)])
        }
    }
}
