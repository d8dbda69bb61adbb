import TillCore
import TillServer
import TillShop

/// A customer's transactions, the one that changed last first, each with what is done to it most.
struct RowsCard: Sendable {
    private let page: PageRequest
    private let ledger: CustomerLedger

    /// So many on a page.
    static let most = 25
    static let path = "/console/apps/{bundleId}/{environment}/transactions/{transactionId}"

    init(_ page: PageRequest, _ ledger: CustomerLedger) {
        self.page = page
        self.ledger = ledger
    }

    var value: PageValue {
        let shown = ledger.rows.prefix(Self.most)
        let path = "/console/apps/{bundleId}/{environment}/customers/{customer}"
        let last = ledger.hasMore || ledger.rows.count > Self.most ? shown.last : nil
        let next = last.flatMap { page.link(path, query: [(name: "after", value: String($0.change))]) }
        return [
            "rows": .list(shown.map(value)), "next": PageValue(next),
            "newest": PageValue(ledger.isPast ? page.link(path) : nil),
        ]
    }

    /// What the developer's server was told of the customer, the newest first.
    var told: PageValue {
        ["notices": .list(ledger.told.map(value)), "all": PageValue(ledger.allNotices)]
    }

    private func value(of notice: TimelineNotice) -> PageValue {
        let (words, style) =
            switch notice.fate {
            case .arrived: ("arrived", "good")
            case .owed: ("not arrived yet", "warn")
            case .failed: ("given up", "bad")
            case .unsent: ("nobody was to be told", "over")
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
        let acts = Self.refunds(of: row, ledger) + (row.isFinished ? [] : [.init("finishTransaction", "Finish")])
        return [
            "id": .text(id), "product": .text(ledger.name(of: row.productID)),
            "link": PageValue(page.link(Self.path, ["transactionId": id])),
            "reason": .text(Words.sentence(row.reason.rawValue)),
            "quantity": PageValue(row.quantity > 1 ? "\(row.quantity) ×" : nil),
            "bought": Words.time(row.purchaseDate.milliseconds), "expires": Words.time(row.expiresDate?.milliseconds),
            "price": PageValue(row.price?.words), "remarks": .list(Self.remarks(on: row)),
            "acts": ActButtons(id: "row-\(id)", buttons: acts, parameters: ["transactionId": id]).value(page),
        ]
    }

    /// What is out of the ordinary with a row.
    static func remarks(on row: Transaction) -> [PageValue] {
        var remarks: [PageValue] = []
        func remark(_ words: String, _ style: String = "", at instant: Timestamp? = nil) {
            remarks.append(["words": .text(words), "style": .text(style), "time": Words.time(instant?.milliseconds)])
        }
        if let offer = row.offer {
            let name = offer.id.map { " \($0)" } ?? ""
            remark("\(offer.kind.words) offer\(name): \(Words.plain(offer.mode.rawValue))", "good")
        }
        if let commitment = row.commitment { remark("month \(commitment.period) of \(commitment.periods)") }
        if row.ownership == .familyShared { remark("shared by the family") }
        if row.isUpgraded { remark("upgraded", "over") }
        if let revocation = row.revocation {
            let part = revocation.percentage.map { $0 < 100_000 ? " by \(Words.percent($0))" : "" } ?? ""
            remark(
                revocation.kind == .familyRevoke ? "no longer shared" : "refunded\(part)",
                "bad",
                at: revocation.date
            )
        }
        if row.isFinished { remark("finished", "over") }
        return remarks
    }

    /// What can be given back of a row, or taken back of what was given back.
    static func refunds(of row: Transaction, _ ledger: CustomerLedger) -> [ActButtons.Button] {
        guard row.ownership == .purchased else { return [] }
        if row.refundNumber != nil { return [.init("reverseRefund", "Reverse the refund")] }
        guard row.revocation == nil else { return [] }
        var buttons: [ActButtons.Button] = [.init("refund", "Refund", "share", "FULL", isGrave: true)]
        if let end = row.expiresDate, end > ledger.now, row.purchaseDate < ledger.now {
            buttons.append(.init("refund", "Refund what is unused", "share", "UNUSED", isGrave: true))
        }
        if !ledger.account.refundRequests.contains(where: { $0.transaction == row.id }) {
            buttons.append(.init("requestRefund", "Ask for a refund", "reason", "UNINTENDED_PURCHASE"))
        }
        return buttons
    }
}

extension Words {
    /// Thousandths of a percent: `37.5 %`, `0.03 %`.
    static func percent(_ thousandths: Int) -> String { "\(self.thousandths(Int64(thousandths))) %" }

    /// `37.5`, `0.03`.
    static func thousandths(_ number: Int64) -> String {
        var decimals = String(number % 1_000 + 1_000).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(number / 1_000)\(decimals.isEmpty ? "" : ".\(decimals)")"
    }
}
