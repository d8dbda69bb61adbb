import TillControl
import TillCore
import TillServer
import TillShop

/// A customer's transactions, most recent change first, each with its common actions.
struct RowsCard: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger

    /// The number of transactions per page.
    static let pageSize = 25
    static let path = "/console/apps/{bundleId}/{environment}/transactions/{transactionId}"

    init(_ page: PageRequest, _ ledger: CustomerLedger) {
        self.page = page
        self.ledger = ledger
    }

    func value() async throws(ControlError) -> PageValue {
        let shown = ledger.rows.prefix(Self.pageSize)
        let list = try await page.send(
            ListTransactions(
                app: ledger.app,
                customer: page.customer,
                after: ledger.position.map { String($0) },
                limit: Self.pageSize
            )
        )
        let actions = Dictionary(list.transactions.map { ($0.transactionId, $0.availableActions) }) { $1 }
        let path = page.link(toCustomer: page.customer)
        let last = ledger.hasMore || ledger.rows.count > Self.pageSize ? shown.last : nil
        return [
            "rows": .list(shown.map { value(of: $0, actions[$0.id.wireForm] ?? []) }),
            "next": PageValue(
                last.flatMap { page.link(ConsolePage.customerPath, query: [(name: "after", value: String($0.change))]) }
            ),
            "newest": PageValue(ledger.isPast ? path : nil),
        ]
    }

    /// The customer's newest notifications.
    var notifications: PageValue {
        ["notices": .list(ledger.newestNotifications.map(value)), "all": PageValue(ledger.allNotifications)]
    }

    private func value(of notice: TimelineNotice) -> PageValue {
        let (words, style) =
            switch notice.fate {
            case .arrived: ("delivered", "good")
            case .pending: ("pending", "warn")
            case .failed: ("failed", "bad")
            case .unsent: ("not sent (no endpoint)", "over")
            }
        return [
            "words": .text(notice.words), "link": PageValue(notice.address), "fate": .text(words),
            "style": .text(style),
            "time": Words.time(notice.date, from: ledger.now),
            "transaction": PageValue(notice.transaction?.wireForm),
            "transactionLink": PageValue(notice.transaction.flatMap { page.link(toTransaction: $0.wireForm) }),
        ]
    }

    private func value(of row: Transaction, _ actions: [CustomerAction]) -> PageValue {
        let id = row.id.wireForm
        let buttons = actions.compactMap { ActionButtons.Button($0, onTransaction: id, ledger.app) }
        return [
            "id": .text(id), "product": .text(ledger.name(of: row.productID)),
            "link": PageValue(page.link(toTransaction: id)),
            "reason": .text(Words.sentence(row.reason.rawValue)),
            "quantity": PageValue(row.quantity > 1 ? "\(row.quantity) ×" : nil),
            "bought": Words.time(row.purchaseDate), "expires": Words.time(row.expiresDate),
            "price": PageValue(row.price?.words), "details": .list(Self.details(of: row)),
            "actions": ActionButtons(id: "row-\(id)", buttons: buttons).value(page),
        ]
    }

    /// Offers, commitments, refunds and other details of a transaction.
    static func details(of row: Transaction) -> [PageValue] {
        var details: [PageValue] = []
        func add(_ words: String, _ style: String = "", at instant: Timestamp? = nil) {
            details.append(["words": .text(words), "style": .text(style), "time": Words.time(instant)])
        }
        if let offer = row.offer {
            let name = offer.id.map { " \($0)" } ?? ""
            add("\(offer.kind.words) offer\(name): \(Words.plain(offer.mode.rawValue))", "good")
        }
        if let commitment = row.commitment { add("month \(commitment.period) of \(commitment.periods)") }
        if row.ownership == .familyShared { add("Family Sharing") }
        if row.isUpgraded { add("upgraded", "over") }
        if let revocation = row.revocation {
            let part = revocation.percentage.map { $0 < 100_000 ? " by \(Words.percent($0))" : "" } ?? ""
            add(
                revocation.kind == .familyRevoke ? "no longer shared" : "refunded\(part)",
                "bad",
                at: revocation.date
            )
        }
        if row.isFinished { add("finished", "over") }
        return details
    }
}

extension Words {
    /// Formats thousandths of a percent: `37.5 %`, `0.03 %`.
    static func percent(_ thousandths: Int) -> String { "\(self.thousandths(Int64(thousandths))) %" }

    /// Formats thousandths: `37.5`, `0.03`.
    static func thousandths(_ number: Int64) -> String {
        var decimals = String(number % 1_000 + 1_000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(number / 1_000)\(decimals.isEmpty ? "" : ".\(decimals)")"
    }
}
