import TillCore
import TillStorage

/// Which rows of the ledger a receipt shows.
struct ReceiptRows {
    /// The newest purchase first.
    private(set) var rows: [Transaction]
    /// A receipt, and the list in an answer, hold so many of the newest at the most, so that what Till hands out can
    /// also be sent back.
    static let most = 5_000

    /// - Parameter rows: those of one account, in any order.
    init(_ rows: some Sequence<Transaction>, atMost most: Int = ReceiptRows.most) {
        let shown = rows.filter(\.isInReceipts)
        self.rows = Array(
            shown.sorted { ($1.purchaseDate, $1.id) < ($0.purchaseDate, $0.id) }.prefix(most)
        )
    }

    /// The latest row of each subscription, and everything that is none (`exclude-old-transactions`).
    var latestOnly: ReceiptRows {
        var seen: Set<TransactionID> = []
        var latest = self
        latest.rows = rows.filter { $0.type != .autoRenewable || seen.insert($0.originalID).inserted }
        return latest
    }

    /// Whether a subscription is among them.
    var haveSubscription: Bool { rows.contains { $0.type == .autoRenewable } }
}

extension Shop {
    /// What a receipt of an account shows now.
    func receiptRows(of account: AccountID) async throws -> ReceiptRows {
        var rows: [Transaction] = []
        var query = HistoryQuery(account: account, isAscending: false, limit: 1_000)
        while true {
            let page = try await storage.history(query)
            rows += page.rows.filter(\.isInReceipts)
            guard page.hasMore, rows.count < ReceiptRows.most * 2, let last = page.rows.last else { break }
            query.position = last.change
        }
        return ReceiptRows(rows)
    }
}
