import TillCore
import TillStorage

/// The transactions in a receipt.
package struct ReceiptRows: Sendable {
    /// The transactions, newest `purchaseDate` first. They include a renewal that was charged in advance and then
    /// replaced by an upgrade before its period began. If two transactions have the same date, the replaced
    /// transaction comes last.
    package private(set) var rows: [Transaction]
    /// The ids of the latest transactions of the account's subscriptions.
    private let current: Set<TransactionID>
    /// The maximum number of transactions in a receipt or a response. It keeps receipts so small that the server
    /// accepts them again in a request.
    package static let limit = 5_000

    /// - Parameters:
    ///   - rows: the account's transactions, in any order.
    ///   - limit: the maximum number of transactions. The latest transaction of each subscription is always included.
    package init(_ rows: some Sequence<Transaction>, of account: Account, atMost limit: Int = ReceiptRows.limit) {
        current = Set(account.heldSubscriptions.map { $0.latestTransaction.id })
        func place(_ row: Transaction) -> (Timestamp, Int, TransactionID) {
            (row.purchaseDate, row.isUpgraded ? 0 : 1, row.id)
        }
        let sorted = rows.filter(\.isInReceipts).map { (place($0), $0) }.sorted { $1.0 < $0.0 }.map(\.1)
        let missing = sorted.dropFirst(limit).filter { [current] in current.contains($0.id) }
        self.rows = sorted.prefix(limit - missing.count) + missing
    }

    /// The latest transaction of each subscription, and all purchases of other product types. This is the result of
    /// `exclude-old-transactions`.
    var latestOnly: ReceiptRows {
        var latest = self
        latest.rows = rows.filter { $0.type != .autoRenewable || current.contains($0.id) }
        return latest
    }
}

extension Shop {
    /// Reads an account and the transactions for its receipts, both in the same version of the account.
    func accountWithRows(_ found: Account) async throws -> (account: Account, rows: ReceiptRows) {
        var account = found
        for _ in 0..<Self.maxReads {
            let rows = ReceiptRows(try await receiptRows(of: account.id, atMost: ReceiptRows.limit), of: account)
            guard let after = try await storage.account(account.id), after.version != account.version else {
                return (account, rows)
            }
            // The account changed while its transactions were read.
            account = after
        }
        throw ShopBusy(reason: "the account of \(account.customer) changed \(Self.maxReads) times during the request")
    }

    private static let maxReads = 32

    /// Reads the latest transactions of an account for receipts. The limit applies to subscriptions and to all other
    /// products separately, so that many purchases of one kind do not displace the other kind.
    func receiptRows(of account: AccountID, atMost limit: Int) async throws -> [Transaction] {
        let subscriptions = HistoryFilter(productTypes: [.autoRenewable])
        let others = HistoryFilter(
            productTypes: [.consumable, .nonConsumable, .nonRenewing],
            leavesOutFinishedConsumables: true
        )
        return try await receiptRows(of: account, subscriptions, atMost: limit)
            + receiptRows(of: account, others, atMost: limit)
    }

    private func receiptRows(of account: AccountID, _ filter: HistoryFilter, atMost limit: Int) async throws
        -> [Transaction]
    {
        var rows: [Transaction] = []
        var query = HistoryQuery(account: account, isAscending: false, filter: filter, limit: min(limit, 1_000))
        while true {
            let page = try await storage.history(query)
            rows += page.rows.filter(\.isInReceipts)
            guard page.hasMore, rows.count < limit, let last = page.rows.last else { return rows }
            query.position = last.change
        }
    }
}
