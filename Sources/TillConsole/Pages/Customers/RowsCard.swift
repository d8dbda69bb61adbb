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

    var value: PageValue {
        let shown = ledger.rows.prefix(Self.pageSize)
        let path = "/console/apps/{bundleId}/{environment}/customers/{customer}"
        let last = ledger.hasMore || ledger.rows.count > Self.pageSize ? shown.last : nil
        let next = last.flatMap { page.link(path, query: [(name: "after", value: String($0.change))]) }
        return [
            "rows": .list(shown.map(value)), "next": PageValue(next),
            "newest": PageValue(ledger.isPast ? page.link(path) : nil),
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
            "time": Words.time(notice.date.milliseconds, from: ledger.now.milliseconds),
            "transaction": PageValue(notice.transaction?.wireForm),
            "transactionLink": PageValue(
                notice.transaction.flatMap { page.link(Self.path, ["transactionId": $0.wireForm]) }
            ),
        ]
    }

    private func value(of row: Transaction) -> PageValue {
        let id = row.id.wireForm
        let buttons =
            Self.refunds(of: row, ledger) + (row.isFinished ? [] : [.init("finishTransaction", "Finish transaction")])
        return [
            "id": .text(id), "product": .text(ledger.name(of: row.productID)),
            "link": PageValue(page.link(Self.path, ["transactionId": id])),
            "reason": .text(Words.sentence(row.reason.rawValue)),
            "quantity": PageValue(row.quantity > 1 ? "\(row.quantity) ×" : nil),
            "bought": Words.time(row.purchaseDate.milliseconds), "expires": Words.time(row.expiresDate?.milliseconds),
            "price": PageValue(row.price?.words), "details": .list(Self.details(of: row)),
            "actions": ActionButtons(id: "row-\(id)", buttons: buttons, parameters: ["transactionId": id]).value(page),
        ]
    }

    /// Offers, commitments, refunds and other details of a transaction.
    static func details(of row: Transaction) -> [PageValue] {
        var details: [PageValue] = []
        func add(_ words: String, _ style: String = "", at instant: Timestamp? = nil) {
            details.append(["words": .text(words), "style": .text(style), "time": Words.time(instant?.milliseconds)])
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

    /// The refund actions of a transaction.
    static func refunds(of row: Transaction, _ ledger: CustomerLedger) -> [ActionButtons.Button] {
        guard row.ownership == .purchased else { return [] }
        if row.refundNumber != nil { return [.init("reverseRefund", "Reverse refund")] }
        guard row.revocation == nil else { return [] }
        var buttons: [ActionButtons.Button] = [.init("refund", "Refund", "share", "FULL", isDestructive: true)]
        if let end = row.expiresDate, end > ledger.now, row.purchaseDate < ledger.now {
            buttons.append(.init("refund", "Refund unused part", "share", "UNUSED", isDestructive: true))
        }
        if !ledger.account.refundRequests.contains(where: { $0.transaction == row.id }) {
            buttons.append(.init("requestRefund", "Request refund", "reason", "UNINTENDED_PURCHASE"))
        }
        return buttons
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
