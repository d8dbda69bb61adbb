/// `status` in an answer of verifyReceipt.
public enum ReceiptStatus: Int, CaseIterable, Sendable {
    /// The receipt is valid. Its subscription may have expired.
    case valid = 0
    /// The request was not a POST.
    case notPost = 21_000
    /// The receipt is malformed or missing.
    case malformedReceipt = 21_002
    /// The receipt has no valid signature.
    case notAuthentic = 21_003
    /// The shared secret is wrong or missing.
    case wrongSharedSecret = 21_004
    /// The server cannot answer at present.
    case unavailable = 21_005
    /// The receipt of a single transaction is valid, and its subscription expired.
    case subscriptionExpired = 21_006
    /// A receipt of the sandbox was sent to production.
    case sandboxReceipt = 21_007
    /// A receipt of production was sent to the sandbox.
    case productionReceipt = 21_008
    /// The server had an internal error.
    case internalError = 21_009
    /// The account of the customer does not exist, or was deleted.
    case accountNotFound = 21_010
}
