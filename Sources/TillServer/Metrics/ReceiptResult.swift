/// The result of a verifyReceipt request, as a label of a metric.
enum ReceiptResult: String, CaseIterable, Sendable {
    // The statuses of docs/api/receipts/verify-receipt.md.
    case valid = "0"
    case notPost = "21000"
    case malformed = "21002"
    case notAuthenticated = "21003"
    case wrongSecret = "21004"
    case unavailable = "21005"
    case expired = "21006"
    case sandboxReceipt = "21007"
    case productionReceipt = "21008"
    case internalError = "21009"
    case noAccount = "21010"
    /// A fault rule set the status.
    case fault
}
