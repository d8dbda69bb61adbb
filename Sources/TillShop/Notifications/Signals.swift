import Synchronization
import TillCore
import TillStorage

/// Notifies the server's background services when events are scheduled, deliveries become due, or notifications are
/// created.
package final class Signals: Sendable {
    /// The callbacks of one background service.
    package struct Listener: Sendable {
        /// Called when an event was scheduled on a clock for an instant. The earliest possible instant means that
        /// anything on the clock, also a job, may be due.
        package var due: @Sendable (ClockName, Timestamp) -> Void
        /// Called when the pending deliveries on a clock may have changed, or the clock was set.
        package var pending: @Sendable (ClockName) -> Void
        /// Called when a change was committed. Its deliveries are not signalled otherwise.
        package var committed: @Sendable (Change) -> Void
        /// Called when a delivery attempt was recorded.
        package var attempted: @Sendable (Delivery) -> Void
        /// Called after a commit, with the notifications that it created.
        package var notifications: @Sendable ([Notification]) -> Void
        /// Whether the listener forwards events to other nodes. It must not forward events that came from them.
        package var isOfOthers: Bool

        /// Creates a listener with its callbacks.
        package init(
            due: @escaping @Sendable (ClockName, Timestamp) -> Void = { _, _ in },
            pending: @escaping @Sendable (ClockName) -> Void = { _ in },
            committed: @escaping @Sendable (Change) -> Void = { _ in },
            attempted: @escaping @Sendable (Delivery) -> Void = { _ in },
            notifications: @escaping @Sendable ([Notification]) -> Void = { _ in },
            isOfOthers: Bool = false
        ) {
            self.due = due
            self.pending = pending
            self.committed = committed
            self.attempted = attempted
            self.notifications = notifications
            self.isOfOthers = isOfOthers
        }
    }

    private let listeners = Mutex<[Listener]>([])
    /// The operations that wait for deliveries now.
    let settlements = Settlements()
    /// The deliveries that are due, but held back.
    let heldBack = HeldBackDeliveries()

    /// Adds a listener.
    package func add(_ listener: Listener) {
        listeners.withLock { $0.append(listener) }
    }

    /// Notifies the listeners after a change and its notifications were committed.
    func committed(_ change: Change, notifications: [Notification] = []) {
        Settlement.current?.add(change.deliveries)
        let all = listeners.withLock { $0 }
        guard !all.isEmpty else { return }
        if !notifications.isEmpty { for listener in all { listener.notifications(notifications) } }
        for listener in all { listener.committed(change) }
        for account in change.accounts {
            guard let due = account.nextDue else { continue }
            for listener in all { listener.due(account.account.clockName, due) }
        }
        for account in change.accounts where account.changesClock { moved(account.account.clockName) }
    }

    /// Notifies the listeners that a delivery attempt was recorded.
    func attempted(_ delivery: Delivery) {
        settlements.note(delivery)
        for listener in listeners.withLock({ $0 }) { listener.attempted(delivery) }
    }

    /// Ends the waits for a delivery that is held back.
    func endWaits(for delivery: Delivery) { settlements.note(delivery) }

    /// Notes that a delivery was attempted, and lets the waits for it also wait for earlier deliveries of the same
    /// subscription, which were held back for it.
    func released(_ deliveries: [Delivery], by later: Delivery) {
        heldBack.release(deliveries, after: later)
        if !deliveries.isEmpty { settlements.add(deliveries, after: later) }
    }

    /// Notifies the listeners that a job was stored that takes effect on a clock.
    func planned(_ clock: ClockName) {
        for listener in listeners.withLock({ $0 }) { listener.due(clock, Timestamp(milliseconds: .min)) }
    }

    /// Notifies the listeners of an event that another node published.
    ///
    /// - Parameters:
    ///   - instant: the date when an account has something due; nil if the node reported no such date.
    ///   - hasPending: whether deliveries may have become due.
    func heard(_ clock: ClockName, due instant: Timestamp?, pending hasPending: Bool) {
        for listener in listeners.withLock({ $0 }) where !listener.isOfOthers {
            if let instant { listener.due(clock, instant) }
            if hasPending { listener.pending(clock) }
        }
    }

    /// Makes the listeners check clocks again.
    func check(_ clocks: some Sequence<ClockName>) {
        for clock in clocks { heard(clock, due: Timestamp(milliseconds: .min), pending: true) }
    }

    /// Notifies the listeners that a clock was advanced or set.
    func moved(_ clock: ClockName) {
        for listener in listeners.withLock({ $0 }) {
            listener.due(clock, Timestamp(milliseconds: .min))
            listener.pending(clock)
        }
    }
}

/// Accounts whose due events could not be processed, with the reasons. Other accounts continue normally.
package final class Quarantine: Sendable {
    private struct Entry {
        var reason: String
        var until: ContinuousClock.Instant
    }

    private let entries = Mutex<[AccountID: Entry]>([:])
    /// The time after which the server processes a quarantined account again.
    static let pause = Duration.seconds(60)

    /// Quarantines an account for the duration of `pause`.
    ///
    /// - Returns: whether the reason differs from the account's previous reason and should be logged.
    @discardableResult
    func add(_ id: AccountID, because reason: String) -> Bool {
        let entry = Entry(reason: reason, until: ContinuousClock().now + Self.pause)
        return entries.withLock { entries in
            defer { entries[id] = entry }
            return entries[id]?.reason != reason
        }
    }

    /// Ends the quarantine of an account.
    func remove(_ id: AccountID) {
        entries.withLock { _ = $0.removeValue(forKey: id) }
    }

    /// Ends every quarantine.
    func clear() { entries.withLock { $0.removeAll() } }

    func contains(_ id: AccountID) -> Bool {
        let now = ContinuousClock().now
        return entries.withLock { $0[id].map { now < $0.until } ?? false }
    }

    /// All quarantined accounts, with the reason for each.
    package var all: [AccountID: String] { entries.withLock { $0.mapValues(\.reason) } }
}
