import TillShop

/// What is for sale, in words.
enum CatalogWords {
    /// `AUTO_RENEWABLE` as people call it.
    static func type(_ product: JSONTree) -> String {
        switch product["type"]?.text {
        case "AUTO_RENEWABLE"?: "Subscription"
        case "NON_RENEWABLE"?: "Non-renewing subscription"
        case "CONSUMABLE"?: "Consumable"
        default: "Non-consumable"
        }
    }

    /// `3.99 USD`; nil for what is free.
    static func price(_ priced: JSONTree) -> String? {
        guard let price = priced["price"]?.text else { return nil }
        return [price, priced["currency"]?.text].compactMap(\.self).joined(separator: " ")
    }

    /// Storefronts with a price of their own, in the order of their codes.
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

    /// `P3M` as `3 months`, and `P1M` as `month`: what stands behind `every`.
    static func turn(_ iso: String?) -> String? {
        guard let (count, unit) = parts(iso) else { return iso }
        return count == 1 ? unit : "\(count) \(unit)s"
    }

    /// `P3M` as `every 3 months`, and `P1M` as `a month`: what stands behind a price.
    static func pace(_ iso: String?) -> String? {
        guard let turn = turn(iso) else { return nil }
        return turn.first?.isNumber == true ? "every \(turn)" : "a \(turn)"
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

    /// What an offer costs and how long: `1.99 USD every month, 3 times`.
    static func terms(_ offer: JSONTree) -> String {
        let period = period(offer["period"]?.text) ?? ""
        let price = price(offer) ?? "nothing"
        switch offer["mode"]?.text {
        case "FREE_TRIAL"?: return "free for \(period)"
        case "PAY_UP_FRONT"?: return "\(price) for \(period), paid up front"
        case "ONE_TIME"?: return "\(price), once"
        default:
            let count = offer["periodCount"]?.number ?? 1
            let turn = turn(offer["period"]?.text) ?? ""
            return count == 1 ? "\(price) for the first \(turn)" : "\(price) every \(turn), \(count) times"
        }
    }

    /// Whom it is for, and how far it goes; nil when there is nothing to say.
    static func conditions(_ offer: JSONTree) -> String? {
        var words: [String] = []
        let audience = (offer["audience"]?.elements ?? []).compactMap(\.text).map { $0.lowercased() }
        if !audience.isEmpty { words.append("for \(audience.joined(separator: ", ")) customers") }
        if let limit = offer["redemptionLimit"]?.text { words.append("redeemed at most \(limit) times in all") }
        if offer["stackable"]?.isTrue == true { words.append("after the introductory offer") }
        if let criteria = offer["winBack"] { words += winBack(criteria) }
        if offer["billingPlan"]?.text == "MONTHLY" { words.append("on the plan that is paid monthly") }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    private static func winBack(_ criteria: JSONTree) -> [String] {
        let paid = criteria["minimumPaidMonths"]?.number ?? 1
        let since = (criteria["monthsSinceExpiry"]?.elements ?? []).compactMap(\.text)
        let between = criteria["monthsBetweenOffers"]?.text ?? "2"
        return [
            "after \(paid) paid month\(paid == 1 ? "" : "s")",
            "\(since.joined(separator: " to ")) months after the end",
            "not again within \(between) months",
        ]
    }

    /// `INTRODUCTORY` as `Introductory`.
    static func kind(_ offer: JSONTree) -> String {
        let word = offer["kind"]?.text ?? ""
        return word == "WIN_BACK" ? "Win-back" : Words.sentence(word)
    }
}
