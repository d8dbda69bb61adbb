import Synchronization

/// What the handlers of a request leave for its entry in the request log.
final class RequestLogAnnotations: Sendable {
    /// What is known so far.
    struct Notes: Sendable {
        /// A status of verifyReceipt, which no HTTP status shows.
        var code: Int?
        /// The app, where no token names it.
        var app: String?
        /// Why the answer is not what was hoped for.
        var explanation: String?
        /// The faults that struck.
        var faults: [String] = []

        /// Whether there is anything to tell of a request that was answered.
        var isWorthTelling: Bool { explanation != nil || !faults.isEmpty }

        /// The faults, and behind them the reason.
        func words(or reason: String) -> String { (faults + [explanation ?? reason]).joined(separator: " ") }
    }

    private let state = Mutex(Notes())

    var notes: Notes { state.withLock { $0 } }

    func change(_ body: (inout Notes) -> Void) { state.withLock { body(&$0) } }
}
