import TillCore

/// Checks that each account in an exported state has as many transactions and notifications as its counters record.
struct CountCheck {
    private struct Counts {
        let line: Int
        let rowCount: Int64
        let changeNumber: Int64
        let refundNumber: Int64
        let notificationNumber: Int64
        /// Whether old notifications of the account's environment were deleted, so that the account may have fewer.
        let isPruned: Bool
        var rows: Int64 = 0
        var notifications: Int64 = 0
    }

    /// The names of the retention documents. Each names an environment and app whose old notifications were deleted.
    private var pruned: Set<String> = []
    private var counts: [AccountID: Counts] = [:]

    /// Records the name of a retention document.
    mutating func takePruning(_ name: String) { pruned.insert(name) }

    /// Records the counters of an account.
    ///
    /// - Parameter line: the line of the account in the file.
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

    /// Checks and counts a transaction.
    ///
    /// - Returns: the error as a clause; nil if there is none.
    mutating func fault(in row: Transaction) -> String? {
        guard let present = counts[row.account] else { return nil }
        counts[row.account]?.rows += 1
        guard (1...max(1, present.changeNumber)).contains(row.change) else {
            return "transaction \(row.id.number) has change number \(row.change); its account has only reached "
                + "\(present.changeNumber)"
        }
        guard row.refundNumber ?? 0 <= present.refundNumber else {
            return "transaction \(row.id.number) has a higher refund number than its account"
        }
        return nil
    }

    /// Counts a notification about an account.
    mutating func takeNotification(of account: Int64) { counts[AccountID(account)]?.notifications += 1 }

    /// The accounts with wrong counts. Call this after the last row.
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
