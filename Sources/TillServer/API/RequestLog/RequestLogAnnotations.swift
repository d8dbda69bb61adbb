import Synchronization

/// Annotations of a request's handlers for its entry in the request log.
final class RequestLogAnnotations: Sendable {
    /// The annotations so far.
    struct Notes: Sendable {
        /// The status of verifyReceipt, which is independent of the HTTP status.
        var code: Int?
        /// The app, for requests without a token.
        var app: String?
        /// Why the request was not successful.
        var explanation: String?
        /// The faults that hit the request.
        var faults: [String] = []

        /// Whether there are any annotations for a successful request.
        var isWorthLogging: Bool { explanation != nil || !faults.isEmpty }

        /// The faults, followed by the reason.
        func words(or reason: String) -> String { (faults + [explanation ?? reason]).joined(separator: " ") }
    }

    private let state = Mutex(Notes())

    var notes: Notes { state.withLock { $0 } }

    func change(_ body: (inout Notes) -> Void) { state.withLock { body(&$0) } }
}
