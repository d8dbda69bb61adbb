import TillCore
import TillStorage

/// Which rows of the ledger a receipt shows.
package struct ReceiptRows: Sendable {
    /// The newest `purchaseDate` first, also of a period that was charged ahead and replaced before it began. Of two at
    /// the same instant the one that was replaced comes last.
    package private(set) var rows: [Transaction]
    /// The row in force of each of the account's subscriptions.
    private let current: Set<TransactionID>
    /// A receipt, and the list in an answer, hold so many of the newest at the most, so that what Till hands out can
    /// also be sent back.
    package static let most = 5_000

    /// - Parameters:
    ///   - rows: those of the account, in any order.
    ///   - most: how many are shown; the rows in force are always among them.
    package init(_ rows: some Sequence<Transaction>, of account: Account, atMost most: Int = ReceiptRows.most) {
        current = Set(account.heldSubscriptions.map { $0.latestTransaction.id })
        func place(_ row: Transaction) -> (Timestamp, Int, TransactionID) {
            (row.purchaseDate, row.isUpgraded ? 0 : 1, row.id)
        }
        let sorted = rows.filter(\.isInReceipts).map { (place($0), $0) }.sorted { $1.0 < $0.0 }.map(\.1)
        let missing = sorted.dropFirst(most).filter { [current] in current.contains($0.id) }
        self.rows = sorted.prefix(most - missing.count) + missing
    }

    /// The row in force of each subscription, and everything that is none (`exclude-old-transactions`).
    var latestOnly: ReceiptRows {
        var latest = self
        latest.rows = rows.filter { $0.type != .autoRenewable || current.contains($0.id) }
        return latest
    }
}

extension Shop {
    /// An account with what a receipt shows of it, both of one moment.
    func accountWithRows(_ found: Account) async throws -> (account: Account, rows: ReceiptRows) {
        var account = found
        for _ in 0..<Self.mostReads {
            let rows = ReceiptRows(try await receiptRows(of: account.id, atMost: ReceiptRows.most), of: account)
            guard let after = try await storage.account(account.id), after.version != account.version else {
                return (account, rows)
            }
            // The customer bought meanwhile.
            account = after
        }
        throw ShopBusy(reason: "the account of \(account.customer) changes all the time")
    }

    private static let mostReads = 32

    /// Rows of an account that receipts may show, the latest changed: so many subscriptions' and so many others, so
    /// that neither bury the other.
    func receiptRows(of account: AccountID, atMost most: Int) async throws -> [Transaction] {
        let subscriptions = HistoryFilter(productTypes: [.autoRenewable])
        let others = HistoryFilter(
            productTypes: [.consumable, .nonConsumable, .nonRenewing],
            leavesOutFinishedConsumables: true
        )
        return try await receiptRows(of: account, subscriptions, atMost: most)
            + receiptRows(of: account, others, atMost: most)
    }

    private func receiptRows(of account: AccountID, _ filter: HistoryFilter, atMost most: Int) async throws
        -> [Transaction]
    {
        var rows: [Transaction] = []
        var query = HistoryQuery(account: account, isAscending: false, filter: filter, limit: min(most, 1_000))
        while true {
            let page = try await storage.history(query)
            rows += page.rows.filter(\.isInReceipts)
            guard page.hasMore, rows.count < most, let last = page.rows.last else { return rows }
            query.position = last.change
        }
    }
}
