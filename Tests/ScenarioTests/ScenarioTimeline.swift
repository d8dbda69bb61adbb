import TillCore
import TillTestSupport

/// The text of a timeline. Each notification has one line with its date, its customer if there are several, its type
/// and subtype, the status, and relevant details.
struct Timeline {
    let hours: Hours
    let products: [String: Product]
    /// The date of the notification whose line is being written.
    private var today = ""

    init(of scenario: Scenario) {
        hours = scenario.hours
        products = scenario.products
    }

    /// Sorts notifications by the second of their date, then by customer, then by the order of signing. The result is
    /// the same on every backend.
    static func ordered(_ received: [ReceivedNotification]) -> [ReceivedNotification] {
        received.enumerated().sorted { left, right in
            let (one, other) = (left.element, right.element)
            return (one.signedDate.wholeSecond, one.customer, one.signedDate, left.offset)
                < (other.signedDate.wholeSecond, other.customer, other.signedDate, right.offset)
        }.map(\.element)
    }

    func lines(_ received: [ReceivedNotification]) -> [String] {
        let hasSeveral = Set(received.map(\.customer)).count > 1
        let rows = received.map { one in
            let status = one.status.map { "status \($0)" } ?? ""
            let parts = [hours.words(one.signedDate.wholeSecond), hasSeveral ? one.customer : nil, one.words, status]
            return (parts.compactMap { $0 }, detail(one))
        }
        let columns = hasSeveral ? 4 : 3
        let widths = (0..<columns).map { column in
            let widest = rows.map { $0.0[column].count }.max() ?? 0
            return column == columns - 2 ? min(widest, Timeline.widthOfType) : widest
        }
        return rows.map { columns, detail in
            let padded = zip(columns, widths).map { text, width in
                text + String(repeating: " ", count: max(0, width - text.count))
            }
            var line = (padded + [detail]).joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    /// The width of the column for types and subtypes. Longer texts extend beyond it, because a wider column would move
    /// all details far to the right.
    private static let widthOfType = 30

    /// The lines that differ from the expected text; nil if there are none. Spaces for alignment are ignored.
    static func difference(of lines: [String], from expected: String) -> String? {
        func squeezed(_ line: some StringProtocol) -> String { line.split(separator: " ").joined(separator: " ") }
        let wanted = expected.split(separator: "\n").map(squeezed)
        let found = lines.map(squeezed)
        guard wanted != found else { return nil }
        let change = found.difference(from: wanted)
        let gone = Set(change.removals.map { if case .remove(let place, _, _) = $0 { place } else { -1 } })
        let new = Set(change.insertions.map { if case .insert(let place, _, _) = $0 { place } else { -1 } })
        var text = ["the timeline differs (- expected, + notified):"]
        var place = 0
        for (index, line) in lines.enumerated() {
            while place < wanted.count, gone.contains(place) {
                text.append("- " + wanted[place])
                place += 1
            }
            text.append((new.contains(index) ? "+ " : "  ") + line)
            if !new.contains(index) { place += 1 }
        }
        while place < wanted.count {
            text.append("- " + wanted[place])
            place += 1
        }
        return text.joined(separator: "\n")
    }

    // MARK: Relevant details

    private func detail(_ received: ReceivedNotification) -> String {
        var timeline = self
        timeline.today = String(received.signedDate.iso8601.prefix(10))
        return timeline.words(of: received)
    }

    private func words(of received: ReceivedNotification) -> String {
        var parts: [String] = []
        if products.count > 1 { parts.append(received.transaction.productId) }
        parts += about(received)
        if let info = received.renewalInfo, received.type != "REVOKE" { parts += whatFollows(info, received) }
        return parts.joined(separator: ", ")
    }

    private func about(_ received: ReceivedNotification) -> [String] {
        let row = received.transaction
        switch received.type {
        case "SUBSCRIBED", "DID_RENEW", "ONE_TIME_CHARGE":
            return charge(row, received)
        case "OFFER_REDEEMED", "DID_CHANGE_RENEWAL_PREF":
            return received.subtype == "UPGRADE" ? charge(row, received) : []
        case "DID_FAIL_TO_RENEW":
            return received.subtype == nil ? [] : ["grace until \(date(received.renewalInfo?.gracePeriodExpiresDate))"]
        case "RENEWAL_EXTENDED":
            return ["until \(date(received.renewalInfo?.renewalDate))"]
        case "CONSUMPTION_REQUEST":
            return [received.consumptionRequestReason ?? "no reason"] + older(received)
        case "REFUND", "REFUND_DECLINED", "REFUND_REVERSED", "REVOKE":
            return revocation(row) + older(received)
        default:
            return []
        }
    }

    /// The purchase: its end, its number within a commitment, its price if it is not the list price, and its offer.
    private func charge(_ row: ReceivedTransaction, _ received: ReceivedNotification) -> [String] {
        var parts: [String] = []
        if row.quantity > 1 { parts.append("\(row.quantity) pieces") }
        if let end = row.expiresDate {
            let isShared = row.inAppOwnershipType == "FAMILY_SHARED"
            let kind = isShared ? "shared " : row.offerDiscountType == "FREE_TRIAL" ? "trial " : "paid "
            let isNow = row.purchaseDate == received.signedDate.wholeSecond
            let span = isNow ? "until \(date(end))" : "\(date(row.purchaseDate)) to \(date(end))"
            parts.append((row.commitmentInfo == nil ? kind : "") + span)
        } else if row.inAppOwnershipType == "FAMILY_SHARED" {
            parts.append("shared")
        }
        if let month = row.commitmentInfo {
            let number = "\(month.billingPeriodNumber)/\(month.totalBillingPeriods)"
            parts.append("\(number) to \(date(month.commitmentExpiresDate))")
        }
        let isFree = row.offerDiscountType == "FREE_TRIAL" && row.price == 0
        let isListed = row.commitmentInfo != nil || row.price == list(row.productId, times: row.quantity)
        var terms: [String] = []
        if let price = row.price, !isFree, !isListed { terms.append("at \(money(price))") }
        if let offer = offer(row.offerType, row.offerIdentifier), !(row.offerType == 1 && isFree) {
            terms.append("by \(offer)")
        }
        if !terms.isEmpty {
            let what = parts.popLast().map { [$0] } ?? []
            parts.append((what + terms).joined(separator: " "))
        }
        if let info = received.renewalInfo, info.recentSubscriptionStartDate != row.originalPurchaseDate {
            parts.append("since \(date(info.recentSubscriptionStartDate))")
        }
        return parts
    }

    /// The period of the transaction, if it is not the latest transaction.
    private func older(_ received: ReceivedNotification) -> [String] {
        guard let info = received.renewalInfo, received.transaction.expiresDate != info.renewalDate else { return [] }
        return ["of \(date(received.transaction.purchaseDate))"]
    }

    private func revocation(_ row: ReceivedTransaction) -> [String] {
        guard row.revocationDate != nil else { return [] }
        var parts = [row.revocationType ?? "no type"]
        if let percentage = row.revocationPercentage, row.revocationType != "REFUND_FULL" {
            parts.append("\(Double(percentage) / 1_000)%")
        }
        if row.revocationReason == 1 { parts.append("issue in the app") }
        return parts
    }

    /// The next period, if its product, price or offer differs from the present one.
    private func whatFollows(_ info: ReceivedRenewalInfo, _ received: ReceivedNotification) -> [String] {
        var parts: [String] = []
        let isOff = received.subtype == "AUTO_RENEW_DISABLED"
        let ends = info.autoRenewStatus == 0 || info.commitmentInfo?.commitmentAutoRenewStatus == 0
        if ends, !isOff, received.status != 2 { parts.append("then ends") }
        if info.autoRenewProductId != info.productId { parts.append("then \(info.autoRenewProductId)") }
        if let commitment = info.commitmentInfo {
            if isOff { parts.append("bound until \(date(commitment.commitmentRenewalDate))") }
            let later = commitment.commitmentAutoRenewProductId
            if later != info.autoRenewProductId { parts.append("later \(later)") }
            return parts
        }
        guard let price = info.renewalPrice else { return parts }
        let row = received.transaction
        let next = offer(info.offerType, info.offerIdentifier)
        if next == nil, price == list(info.autoRenewProductId, times: 1) { return parts }
        let isCharge = Timeline.charges.contains(received.type) && received.subtype != "DOWNGRADE"
        if isCharge, row.price == price, next == offer(row.offerType, row.offerIdentifier) {
            parts.append("again")
        } else {
            parts.append("next \(price == 0 ? "free" : money(price))\(next.map { " by \($0)" } ?? "")")
        }
        return parts
    }

    private static let charges: Set = ["SUBSCRIBED", "DID_RENEW", "OFFER_REDEEMED", "DID_CHANGE_RENEWAL_PREF"]

    private func offer(_ type: Int?, _ identifier: String?) -> String? {
        guard let type, let kind = OfferType(rawValue: type) else { return nil }
        return (Timeline.kinds[kind] ?? kind.words) + (identifier.map { " \($0)" } ?? "")
    }

    private static let kinds: [OfferType: String] = [.introductory: "intro", .promotional: "promo"]

    private func list(_ product: String, times quantity: Int) -> Int64? {
        products[product].map { $0.prices.standard.milliunits * Int64(quantity) }
    }

    /// The text of an instant; an instant on the day of the notification is written as a time only.
    private func date(_ instant: Timestamp?) -> String {
        guard let instant else { return "never" }
        let words = hours.words(instant)
        return words.count > 10 && words.prefix(10) == today ? String(words.dropFirst(11)) : words
    }

    private func money(_ milliunits: Int64) -> String {
        let cents = milliunits / 10
        return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }
}
