import TillControl

/// Descriptions of products and offers.
enum CatalogWords {
    /// The name of a product type.
    static func type(_ type: ProductTypeName) -> String {
        switch type {
        case .autoRenewable: "Subscription"
        case .nonRenewing: "Non-renewing subscription"
        case .consumable: "Consumable"
        case .nonConsumable: "Non-consumable"
        }
    }

    /// `3.99 USD`; nil without a price.
    static func price(_ price: String?, _ currency: String?) -> String? {
        price.map { [$0, currency].compactMap(\.self).joined(separator: " ") }
    }

    /// Prices of individual storefronts, ordered by storefront code.
    static func storefronts(_ prices: [String: PriceInfo]?) -> [PageValue] {
        (prices ?? [:]).sorted { $0.key < $1.key }.map { storefront, price in
            ["storefront": storefront, "price": self.price(price.price, price.currency)]
        }
    }

    /// `P3M` as `3 months`, and `P1M` as `1 month`.
    static func period(_ iso: String?) -> String? {
        guard let (count, unit) = parts(iso) else { return iso }
        return Words.count(count, unit)
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
    static func terms(_ offer: OfferInfo) -> String {
        terms(offer.mode, price(offer.price, offer.currency), period: offer.period, count: offer.periodCount ?? 1)
    }

    /// The price and duration of an offer.
    ///
    /// - Parameters:
    ///   - price: the formatted price of one payment; nil for a free offer.
    ///   - iso: the length of a period: `P1M`.
    static func terms(_ mode: OfferDiscountType, _ price: String?, period iso: String?, count: Int) -> String {
        let period = period(iso) ?? ""
        let price = price ?? "free"
        switch mode {
        case .freeTrial: return "free for \(period)"
        case .payUpFront: return "\(price) for \(period), paid up front"
        case .oneTime: return "\(price), once"
        case .payAsYouGo:
            let interval = interval(iso) ?? ""
            return count == 1
                ? "\(price) for the first \(interval)" : "\(price) every \(interval), \(count) times"
        }
    }

    /// The eligibility and limits of an offer; nil without any.
    static func conditions(_ offer: OfferInfo) -> String? {
        var words: [String] = []
        let audience = (offer.audience ?? []).map { $0.rawValue.lowercased() }
        if !audience.isEmpty { words.append("for \(audience.joined(separator: ", ")) customers") }
        if let limit = offer.redemptionLimit { words.append("at most \(limit) redemptions") }
        if offer.stackable == true { words.append("can follow the introductory offer") }
        if let criteria = offer.winBack { words += winBack(criteria) }
        if offer.billingPlan == .monthly { words.append("monthly billing plan only") }
        return words.isEmpty ? nil : words.joined(separator: "; ")
    }

    private static func winBack(_ criteria: WinBackInfo) -> [String] {
        let paid = criteria.minimumPaidMonths ?? 1
        let since = (criteria.monthsSinceExpiry ?? []).map { String($0) }
        return [
            "after \(Words.count(paid, "paid month"))",
            "\(since.joined(separator: " to ")) months after expiry",
            "at least \(criteria.monthsBetweenOffers ?? 2) months between offers",
        ]
    }

    /// `INTRODUCTORY` as `Introductory`.
    static func kind(_ kind: OfferKind) -> String {
        kind == .winBack ? "Win-back" : Words.sentence(kind.rawValue)
    }
}
