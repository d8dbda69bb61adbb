import Synchronization
import TillCore
import TillStorage

/// Tells whoever waits that something will fall due earlier than they know, or that something is owed.
package final class Signals: Sendable {
    /// Somebody who waits.
    package struct Listener: Sendable {
        /// On a clock something happens by itself at an instant.
        package var due: @Sendable (ClockName, Timestamp) -> Void
        /// On a clock deliveries may have fallen due.
        package var owed: @Sendable (ClockName) -> Void
        /// Notifications were made and are durable.
        package var notifications: @Sendable ([Notification]) -> Void
        /// Whether it passes things on to other nodes, which need not be told what they said.
        package var isOfOthers: Bool

        /// Somebody who waits.
        package init(
            due: @escaping @Sendable (ClockName, Timestamp) -> Void = { _, _ in },
            owed: @escaping @Sendable (ClockName) -> Void = { _ in },
            notifications: @escaping @Sendable ([Notification]) -> Void = { _ in },
            isOfOthers: Bool = false
        ) {
            self.due = due
            self.owed = owed
            self.notifications = notifications
            self.isOfOthers = isOfOthers
        }
    }

    private let listeners = Mutex<[Listener]>([])

    /// Tells a listener from now on.
    package func add(_ listener: Listener) {
        listeners.withLock { $0.append(listener) }
    }

    /// A change is durable, with what is told of it.
    func committed(_ change: Change, telling notifications: [Notification] = []) {
        let all = listeners.withLock { $0 }
        guard !all.isEmpty else { return }
        if !notifications.isEmpty { for listener in all { listener.notifications(notifications) } }
        for account in change.accounts {
            guard let due = account.nextDue else { continue }
            for listener in all { listener.due(account.account.clockName, due) }
        }
        for account in change.accounts where account.changesClock { moved(account.account.clockName) }
        for clock in Set(change.deliveries.map(\.clock)) {
            for listener in all { listener.owed(clock) }
        }
    }

    /// Something is planned on a clock.
    func planned(_ clock: ClockName, _ instant: Timestamp) {
        for listener in listeners.withLock({ $0 }) { listener.due(clock, instant) }
    }

    /// Another node did something.
    ///
    /// - Parameters:
    ///   - instant: when something falls due; nil when nothing does.
    ///   - isOwed: whether deliveries may have fallen due.
    func heard(_ clock: ClockName, due instant: Timestamp?, owed isOwed: Bool) {
        for listener in listeners.withLock({ $0 }) where !listener.isOfOthers {
            if let instant { listener.due(clock, instant) }
            if isOwed { listener.owed(clock) }
        }
    }

    /// A clock was moved or set.
    func moved(_ clock: ClockName) {
        for listener in listeners.withLock({ $0 }) {
            listener.due(clock, Timestamp(milliseconds: .min))
            listener.owed(clock)
        }
    }
}

/// Accounts that could not be brought up to date, with the reason; they do not stop the others.
package final class Quarantine: Sendable {
    private struct Entry {
        var reason: String
        var until: ContinuousClock.Instant
    }

    private let entries = Mutex<[AccountID: Entry]>([:])
    /// After so long an account is tried again.
    static let pause = Duration.seconds(60)

    /// Sets an account aside for a while.
    ///
    /// - Returns: whether the reason is new, and worth a line in the log.
    @discardableResult
    func add(_ id: AccountID, because reason: String) -> Bool {
        let entry = Entry(reason: reason, until: ContinuousClock().now + Self.pause)
        return entries.withLock { entries in
            defer { entries[id] = entry }
            return entries[id]?.reason != reason
        }
    }

    /// The account is well again.
    func remove(_ id: AccountID) {
        entries.withLock { _ = $0.removeValue(forKey: id) }
    }

    /// Nobody is quarantined any more.
    func clear() { entries.withLock { $0.removeAll() } }

    func contains(_ id: AccountID) -> Bool {
        let now = ContinuousClock().now
        return entries.withLock { $0[id].map { now < $0.until } ?? false }
    }

    /// All of them, with the reasons.
    package var all: [AccountID: String] { entries.withLock { $0.mapValues(\.reason) } }
}
