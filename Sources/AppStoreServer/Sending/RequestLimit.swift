import Synchronization

/// Limits the requests a second: at most the requests of one second are sent at once, and then each in its turn.
final class RequestLimit: Sendable {
    private let interval: Duration?
    private let burst: Duration
    /// The moment until which the requests so far use up the rate.
    private let usedUntil = Mutex(Duration.zero)

    /// - Parameter requestsPerSecond: nil for no limit.
    init(requestsPerSecond rate: Double?) {
        interval = rate.map { .seconds(1) / max($0, 0.000_1) }
        burst = max(.seconds(1), interval ?? .zero)
    }

    /// How long a request must wait. It is then counted, unless its turn would come too late.
    ///
    /// - Parameters:
    ///   - now: the time since a fixed moment.
    ///   - end: the latest moment for the request.
    /// - Returns: nil if its turn would come later.
    func reserve(now: Duration, until end: Duration) -> Duration? {
        guard let interval else { return .zero }
        return usedUntil.withLock { used in
            let next = max(used, now) + interval
            let wait = max(.zero, next - burst - now)
            guard now + wait < end else { return nil }
            used = next
            return wait
        }
    }
}
