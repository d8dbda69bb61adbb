import Synchronization
import TillCore
import TillTestSupport

/// A system under test that records when each subscription gives access.
struct WitnessedSystem: SystemUnderTest {
    var inner: CoreUnderTest
    let witness: Witness

    mutating func advance(to instant: Timestamp, for customer: String?) {
        inner.advance(to: instant, for: customer)
        witness.see(inner.observe())
    }

    mutating func perform(_ operation: Operation) -> Refusal? {
        defer { witness.see(inner.observe()) }
        return inner.perform(operation)
    }

    func observe() -> Observation { inner.observe() }
}

/// Records when each subscription gave access.
final class Witness: Sendable {
    private struct Seen {
        var access: [TransactionID: [Timestamp: Bool]] = [:]
        var end: Observation?
    }

    private let seen = Mutex(Seen())

    /// The last observation.
    var end: Observation? { seen.withLock { $0.end } }

    func see(_ observation: Observation) {
        seen.withLock { seen in
            seen.end = observation
            for subscription in observation.accounts.values.flatMap(\.heldSubscriptions) {
                // If an instant is observed several times, the last observation counts.
                seen.access[subscription.originalID, default: [:]][observation.now] = subscription.state.givesAccess
            }
        }
    }

    /// Whether a subscription gave access, at each observed instant.
    func access(by original: TransactionID) -> [(Timestamp, Bool)] {
        seen.withLock { $0.access[original, default: [:]].map { ($0.key, $0.value) } }
    }
}
