import Synchronization
import TillCore
import TillStorage

/// Notifies listeners when an event becomes due earlier than they know, or when deliveries are due.
package final class Signals: Sendable {
    /// The callbacks of a listener.
    package struct Listener: Sendable {
        /// An event is due on a clock at an instant.
        package var due: @Sendable (ClockName, Timestamp) -> Void
        /// Deliveries may have become due on a clock.
        package var pending: @Sendable (ClockName) -> Void
        /// Notifications were created and are durable.
        package var notifications: @Sendable ([Notification]) -> Void
        /// Whether it forwards to other nodes, which already know their own events.
        package var isOfOthers: Bool

        /// The callbacks of a listener.
        package init(
            due: @escaping @Sendable (ClockName, Timestamp) -> Void = { _, _ in },
            pending: @escaping @Sendable (ClockName) -> Void = { _ in },
            notifications: @escaping @Sendable ([Notification]) -> Void = { _ in },
            isOfOthers: Bool = false
        ) {
            self.due = due
            self.pending = pending
            self.notifications = notifications
            self.isOfOthers = isOfOthers
        }
    }

    private let listeners = Mutex<[Listener]>([])

    /// Adds a listener.
    package func add(_ listener: Listener) {
        listeners.withLock { $0.append(listener) }
    }

    /// A change is durable, with its notifications.
    func committed(_ change: Change, notifications: [Notification] = []) {
        let all = listeners.withLock { $0 }
        guard !all.isEmpty else { return }
        if !notifications.isEmpty { for listener in all { listener.notifications(notifications) } }
        for account in change.accounts {
            guard let due = account.nextDue else { continue }
            for listener in all { listener.due(account.account.clockName, due) }
        }
        for account in change.accounts where account.changesClock { moved(account.account.clockName) }
        for clock in Set(change.deliveries.map(\.clock)) {
            for listener in all { listener.pending(clock) }
        }
    }

    /// An event is scheduled on a clock.
    func planned(_ clock: ClockName, _ instant: Timestamp) {
        for listener in listeners.withLock({ $0 }) { listener.due(clock, instant) }
    }

    /// Another node published an event.
    ///
    /// - Parameters:
    ///   - instant: when an event is due; nil if none is.
    ///   - hasPending: whether deliveries may have become due.
    func heard(_ clock: ClockName, due instant: Timestamp?, pending hasPending: Bool) {
        for listener in listeners.withLock({ $0 }) where !listener.isOfOthers {
            if let instant { listener.due(clock, instant) }
            if hasPending { listener.pending(clock) }
        }
    }

    /// A clock was advanced or set.
    func moved(_ clock: ClockName) {
        for listener in listeners.withLock({ $0 }) {
            listener.due(clock, Timestamp(milliseconds: .min))
            listener.pending(clock)
        }
    }
}

/// Accounts that could not be brought up to date, with the reasons. They do not stop other accounts.
package final class Quarantine: Sendable {
    private struct Entry {
        var reason: String
        var until: ContinuousClock.Instant
    }

    private let entries = Mutex<[AccountID: Entry]>([:])
    /// After this time an account is tried again.
    static let pause = Duration.seconds(60)

    /// Quarantines an account for a while.
    ///
    /// - Returns: whether the reason is new and should be logged.
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

    /// All quarantined accounts, with the reasons.
    package var all: [AccountID: String] { entries.withLock { $0.mapValues(\.reason) } }
}
