import Synchronization

/// Limits the retries of a client, so that a broken server is not flooded: a retry takes one token, a call returns a
/// fifth of one.
final class RetryBudget: Sendable {
    private static let share = 0.2

    private let capacity: Double
    private let tokens: Mutex<Double>

    init(capacity: Int) {
        self.capacity = Double(capacity)
        tokens = Mutex(Double(capacity))
    }

    /// Notes a call.
    func deposit() { tokens.withLock { $0 = min(capacity, $0 + Self.share) } }

    /// Takes a retry; false if none is left.
    func withdraw() -> Bool {
        tokens.withLock { tokens in
            guard tokens >= 1 else { return false }
            tokens -= 1
            return true
        }
    }
}
