/// Why bytes are not a receipt that can be believed.
package enum ReceiptRefusal: Error, Sendable, Equatable {
    /// The bytes are no receipt (verifyReceipt: 21002). `reason` ends a sentence that begins with "The receipt".
    case malformed(reason: String)
    /// A receipt, but nobody whom we trust signed it as it stands (verifyReceipt: 21003).
    case notAuthenticated(reason: String)

    /// One sentence for the developer who sent the receipt.
    package var explanation: String {
        switch self {
        case .malformed(let reason), .notAuthenticated(let reason): "The receipt \(reason)."
        }
    }
}
