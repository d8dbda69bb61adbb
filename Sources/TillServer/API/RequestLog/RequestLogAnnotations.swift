import Synchronization

/// What the handlers of a request record for its entry in the request log.
final class RequestLogAnnotations: Sendable {
    /// The values recorded so far.
    struct Notes: Sendable {
        /// The status in the answer of verifyReceipt, which is independent of the HTTP status.
        var code: Int?
        /// The app and key that the bearer token claims.
        var claimed = ClaimedIdentity()
        /// The app of a request that has no bearer token.
        var app: String?
        /// Why the request failed.
        var explanation: String?
        /// Descriptions of the faults that affected the request.
        var faults: [String] = []

        /// Whether the log contains the request even if it was successful.
        var isWorthLogging: Bool { explanation != nil || !faults.isEmpty }

        /// The explanation for the log: the faults, then the reason.
        func words(or reason: String) -> String { (faults + [explanation ?? reason]).joined(separator: " ") }
    }

    private let state = Mutex(Notes())

    var notes: Notes { state.withLock { $0 } }

    func change(_ body: (inout Notes) -> Void) { state.withLock { body(&$0) } }
}
