/// Why bytes are not accepted as a receipt.
package enum ReceiptRefusal: Error, Sendable, Equatable {
    /// The bytes are not a receipt (verifyReceipt: 21002). `reason` is the predicate of a sentence about the receipt.
    case malformed(reason: String)
    /// A receipt without a valid signature under a trusted root (verifyReceipt: 21003).
    case notAuthenticated(reason: String)

    /// One sentence for the developer who sent the receipt.
    package var explanation: String {
        switch self {
        case .malformed(let reason), .notAuthenticated(let reason): "The receipt \(reason)."
        }
    }
}
