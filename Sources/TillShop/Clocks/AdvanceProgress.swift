import Synchronization
import TillCore
import TillStorage

/// An advance in progress.
package struct AdvanceProgress: Equatable, Sendable {
    /// What the clock showed at the start.
    package var from: Timestamp
    /// What the clock will show at the end.
    package var to: Timestamp
    /// The number of accounts in which events were processed so far.
    package var accounts: Int
    /// The number of notifications created so far.
    package var notifications: Int
}

/// The advances in progress, by clock, so that callers can read their progress.
final class RunningAdvances: Sendable {
    private let logs = Mutex<[ClockName: AdvanceLog]>([:])

    func begin(_ name: ClockName, _ log: AdvanceLog) { logs.withLock { $0[name] = log } }
    func end(_ name: ClockName) { logs.withLock { _ = $0.removeValue(forKey: name) } }
    func progress(_ name: ClockName) -> AdvanceProgress? { logs.withLock { $0[name] }?.progress }
}
