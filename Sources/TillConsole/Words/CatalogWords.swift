import TillJSON
import TillShop

/// Descriptions of products and offers.
enum CatalogWords {
    /// The name of a product type.
    static func type(_ product: JSONTree) -> String {
        switch product["type"]?.text {
        case "AUTO_RENEWABLE"?: "Subscription"
        case "NON_RENEWABLE"?: "Non-renewing subscription"
        case "CONSUMABLE"?: "Consumable"
        default: "Non-consumable"
        }
    }

    /// `3.99 USD`; nil without a price.
    static func price(_ priced: JSONTree) -> String? {
        guard let price = priced["price"]?.text else { return nil }
        return [price, priced["currency"]?.text].compactMap(\.self).joined(separator: " ")
    }

    /// Prices of individual storefronts, ordered by storefront code.
    static func storefronts(_ priced: JSONTree) -> [PageValue] {
        (priced["prices"]?.members ?? []).map {
            ["storefront": .text($0.key), "price": PageValue(price($0.value))]
        }
    }

    /// `P3M` as `3 months`, and `P1M` as `1 month`.
    static func period(_ iso: String?) -> String? {
        guard let (count, unit) = parts(iso) else { return iso }
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    /// `P3M` as `3 months`, and `P1M` as `month`, to follow `every`.
    static func interval(_ iso: String?) -> String? {
        guard let (count, unit) = parts(iso) else { return iso }
        return count == 1 ? unit : "\(count) \(unit)s"
    }

    /// `P3M` as `every 3 months`, and `P1M` as `a month`, to follow a price.
    static func billingInterval(_ iso: String?) -> String? {
        guard let interval = interval(iso) else { return nil }
        return interval.first?.isNumber == true ? "every \(interval)" : "a \(interval)"
    }

    private static func parts(_ iso: String?) -> (count: Int, unit: String)? {
        let units: [Character: String] = ["D": "day", "W": "week", "M": "month", "Y": "year"]
        guard
            let iso, iso.hasPrefix("P"), let unit = iso.last.flatMap({ units[$0] }),
            let count = Int(iso.dropFirst().dropLast())
        else { return nil }
        return (count, unit)
    }

    // MARK: Offers

    /// The price and duration of an offer: `1.99 USD every month, 3 times`.
    static func terms(_ offer: JSONTree) -> String {
        let period = period(offer["period"]?.text) ?? ""
        let price = price(offer) ?? "free"
        switch offer["mode"]?.text {
        case "FREE_TRIAL"?: return "free for \(period)"
        case "PAY_UP_FRONT"?: return "\(price) for \(period), paid up front"
        case "ONE_TIME"?: return "\(price), once"
        default:
            let count = offer["periodCount"]?.number ?? 1
            let interval = interval(offer["period"]?.text) ?? ""
            return count == 1
                ? "\(price) for the first \(interval)" : "\(price) every \(interval), \(count) times"
        }
    }

    /// The eligibility and limits of an offer; nil without any.
    static func conditions(_ offer: JSONTree) -> String? {
        var words: [String] = []
        let audience = (offer["audience"]?.elements ?? []).compactMap(\.text).map { $0.lowercased() }
        if !audience.isEmpty { words.append("for \(audience.joined(separator: ", ")) customers") }
        if let limit = offer["redemptionLimit"]?.text { words.append("at most \(limit) redemptions") }
        if offer["stackable"]?.isTrue == true { words.append("can follow the introductory offer") }
        if let criteria = offer["winBack"] { words += winBack(criteria) }
        if offer["billingPlan"]?.text == "MONTHLY" { words.append("monthly billing plan only") }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    private static func winBack(_ criteria: JSONTree) -> [String] {
        let paid = criteria["minimumPaidMonths"]?.number ?? 1
        let since = (criteria["monthsSinceExpiry"]?.elements ?? []).compactMap(\.text)
        let between = criteria["monthsBetweenOffers"]?.text ?? "2"
        return [
            "after \(paid) paid month\(paid == 1 ? "" : "s")",
            "\(since.joined(separator: " to ")) months after expiry",
            "at least \(between) months between offers",
        ]
    }

    /// `INTRODUCTORY` as `Introductory`.
    static func kind(_ offer: JSONTree) -> String {
        let word = offer["kind"]?.text ?? ""
        return word == "WIN_BACK" ? "Win-back" : Words.sentence(word)
    }
}
