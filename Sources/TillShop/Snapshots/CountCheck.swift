import TillCore

/// Checks that each account of an exported state has as many transactions and notifications as its counters say.
struct CountCheck {
    private struct Counts {
        let line: Int
        let rowCount: Int64
        let changeNumber: Int64
        let refundNumber: Int64
        let notificationNumber: Int64
        /// Notifications may have been deleted since.
        let isPruned: Bool
        var rows: Int64 = 0
        var notifications: Int64 = 0
    }

    /// The retention documents: an environment and an app whose old notifications were deleted.
    private var pruned: Set<String> = []
    private var counts: [AccountID: Counts] = [:]

    /// A retention document, by its name.
    mutating func takePruning(_ name: String) { pruned.insert(name) }

    /// An account.
    ///
    /// - Parameter line: its line in the text.
    mutating func take(_ account: Account, line: Int) {
        counts[account.id] = Counts(
            line: line,
            rowCount: account.rowCount,
            changeNumber: account.changeNumber,
            refundNumber: account.refundNumber,
            notificationNumber: account.notificationNumber,
            isPruned: pruned.contains("\(account.environment.rawValue)/\(account.app)")
        )
    }

    /// A transaction of the ledger.
    ///
    /// - Returns: what is wrong, as a clause; nil if nothing.
    mutating func fault(in row: Transaction) -> String? {
        guard let present = counts[row.account] else { return nil }
        counts[row.account]?.rows += 1
        guard (1...max(1, present.changeNumber)).contains(row.change) else {
            return "transaction \(row.id.number) has change number \(row.change); its account has only reached "
                + "\(present.changeNumber)"
        }
        guard row.refundNumber ?? 0 <= present.refundNumber else {
            return "transaction \(row.id.number) has a refund number beyond its account's"
        }
        return nil
    }

    /// A notification about an account, caused by a deadline or an operation.
    mutating func takeNotification(of account: Int64) { counts[AccountID(account)]?.notifications += 1 }

    /// Accounts with wrong counts, once every row has been read.
    var faults: [StateFault] {
        counts.compactMap { id, counts in
            if counts.rows != counts.rowCount {
                return StateFault(
                    line: counts.line,
                    words: "account \(id.number) should have \(counts.rowCount) transactions and has \(counts.rows)"
                )
            }
            let missing = counts.notificationNumber - counts.notifications
            guard missing < 0 || missing > 0 && !counts.isPruned else { return nil }
            return StateFault(
                line: counts.line,
                words: "account \(id.number) should have \(counts.notificationNumber) notifications and has "
                    + "\(counts.notifications)"
            )
        }
    }
}
