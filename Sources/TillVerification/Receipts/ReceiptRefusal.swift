/// The reason why a receipt is rejected.
package enum ReceiptRefusal: Error, Sendable, Equatable {
    /// The bytes are not a receipt; the status in verifyReceipt is 21002. `reason` is the predicate of a sentence whose
    /// subject is the receipt.
    case malformed(reason: String)
    /// The receipt has no valid signature under a trusted root; the status in verifyReceipt is 21003.
    case notAuthenticated(reason: String)

    /// Explains the reason in one sentence, for the developer who sent the receipt.
    package var explanation: String {
        switch self {
        case .malformed(let reason), .notAuthenticated(let reason): "The receipt \(reason)."
        }
    }
}
