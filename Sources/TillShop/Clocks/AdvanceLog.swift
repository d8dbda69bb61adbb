import Synchronization
import TillCore
import TillStorage

/// Counts the results of an advance in progress.
final class AdvanceLog: Sendable {
    private struct State {
        var progress: AdvanceProgress
        var counts: [Notice: Int] = [:]
        var accounts: Set<AccountID> = []
        var quarantine: Set<String> = []

        mutating func count(_ notice: Notice) {
            progress.notifications += 1
            counts[notice, default: 0] += 1
        }
    }

    private let state: Mutex<State>

    init(from: Timestamp, to: Timestamp) {
        state = Mutex(State(progress: AdvanceProgress(from: from, to: to, accounts: 0, notifications: 0)))
    }

    /// Counts an account in which a deadline or a job was processed, and its notifications. An account counts only
    /// once.
    func add(_ notifications: [TillCore.Notification], in account: AccountID) {
        state.withLock { state in
            if state.accounts.insert(account).inserted { state.progress.accounts += 1 }
            for notification in notifications { state.count(Notice(notification.type, notification.subtype)) }
        }
    }

    /// Counts a notification that belongs to no account.
    func add(_ notice: Notice) { state.withLock { $0.count(notice) } }

    func quarantine(_ account: DueAccount) {
        state.withLock { _ = $0.quarantine.insert(account.customer) }
    }

    var progress: AdvanceProgress { state.withLock { $0.progress } }

    var report: AdvanceReport {
        state.withLock { state in
            AdvanceReport(
                from: state.progress.from,
                to: state.progress.to,
                accounts: state.progress.accounts,
                notifications: state.counts.map { AdvanceReport.Count(notice: $0.key, count: $0.value) }
                    .sorted { $0.notice.words < $1.notice.words },
                quarantine: state.quarantine.sorted()
            )
        }
    }
}
