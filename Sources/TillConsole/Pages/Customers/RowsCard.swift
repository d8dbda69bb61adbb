import TillControl
import TillCore
import TillServer
import TillShop

/// A customer's transactions, most recent change first, each with its common actions.
extension CustomerLedger {
    /// The number of transactions per page.
    static let pageSize = 25

    func transactions() async throws(ControlError) -> PageValue {
        let shown = rows.prefix(Self.pageSize)
        let list = try await page.send(
            ListTransactions(
                app: app,
                customer: page.customer,
                after: position.map { String($0) },
                limit: Self.pageSize
            )
        )
        let actions = Dictionary(list.transactions.map { ($0.transactionId, $0.availableActions) }) { $1 }
        let last = hasMore || rows.count > Self.pageSize ? shown.last : nil
        return [
            "rows": shown.listed { value(of: $0, actions[$0.shownID] ?? []) },
            "next": last.map { page.linkToSelf([(name: "after", value: String($0.change))]) },
            "hasRows": !shown.isEmpty, "newest": isPast ? page.linkToSelf([]) : nil,
        ]
    }

    /// The customer's newest notifications.
    func notifications() async throws(ControlError) -> PageValue {
        let endpoints = try await page.send(ListEndpoints(app: app))
        return [
            "notices": newestNotifications.map(value), "all": allNotifications, "hasEndpoints": !endpoints.isEmpty,
            "endpointLink": page.link(toEnvironment: app) + EnvironmentSettingsForm.endpoints,
        ]
    }

    private func value(of notice: TimelineNotice) -> PageValue {
        let (words, style) =
            switch notice.fate {
            case .arrived: ("delivered", "good")
            case .pending where notice.isRetried: ("retrying", "bad")
            case .pending: ("pending", "warn")
            case .failed: ("failed", "bad")
            case .unsent: ("not sent (no endpoint)", "over")
            }
        // The id in the payload; Till's own for a transaction of an older page.
        let transaction = notice.transaction.map { id in rows.first { $0.id == id }?.shownID ?? id.wireForm }
        return [
            "words": notice.words, "link": notice.address, "fate": words, "style": style,
            "time": Words.time(notice.date, from: now), "transaction": transaction,
            "transactionLink": transaction.map(page.link(toTransaction:)),
        ]
    }

    private func value(of row: Transaction, _ actions: [CustomerAction]) -> PageValue {
        let id = row.shownID
        // With an accelerated renewal rate, a period can last seconds.
        let isShort = row.expiresDate.map { $0.milliseconds - row.purchaseDate.milliseconds < 3_600_000 } ?? false
        return [
            "id": id, "product": name(of: row.productID), "link": page.link(toTransaction: id),
            "reason": Words.sentence(row.reason.rawValue), "quantity": row.quantity > 1 ? "\(row.quantity) ×" : nil,
            "bought": Words.time(row.purchaseDate, isPrecise: isShort),
            "expires": Words.time(row.expiresDate, isPrecise: isShort), "price": row.price?.words,
            "details": Self.details(of: row),
            "actions": page.buttons(
                "row-\(id)",
                actions.compactMap { ActionButton($0, onTransaction: id, app) }
            ),
        ]
    }

    /// Offers, commitments, refunds and other details of a transaction.
    private static func details(of row: Transaction) -> [PageValue] {
        var details: [PageValue] = []
        func add(_ words: String, _ style: String = "", at instant: Timestamp? = nil) {
            details.append(["words": words, "style": style, "time": instant])
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
            let words = revocation.kind == .familyRevoke ? "no longer shared" : "refunded\(part)"
            add(words, "bad", at: revocation.date)
        }
        if row.isFinished { add("finished", "over") }
        return details
    }
}
