/// A product that an import makes because the catalog lacks it.
struct ImportedProduct {
    /// The product, for sale at the last price of its transactions.
    let product: Product
    /// What no answer says, and what Till assumed: clauses without a full stop.
    private(set) var assumptions: [String] = []

    /// - Parameters:
    ///   - rows: the transactions of the product, at least one.
    ///   - next: the full price of the next renewal; nil if no renewal info has one.
    ///   - levels: the lowest level of each group, by group id.
    ///   - storefront: the storefront of the catalog's standard prices.
    init(
        _ id: String,
        from rows: [Transaction],
        next: Money?,
        _ levels: [String: Int],
        _ storefront: Storefront,
        _ policy: Policy
    ) {
        let last = rows.max { $0.id < $1.id }
        let type = last?.type ?? .consumable
        let paid = rows.filter { $0.offer == nil && $0.price != nil }.max { $0.id < $1.id }
        // A customer who had only trials and discounts so far shows the full price with the next renewal.
        let price = paid == nil ? next ?? Self.price(nil, last) : Self.price(paid, last)
        if paid == nil {
            let origin = next == nil ? "its price is not known; it is" : "its price is that of the next renewal,"
            assumptions.append("\(origin) \(price.milliunits) \(price.currency)")
        }
        var prices = PriceList(standard: Money(milliunits: price.milliunits, currency: storefront.currency))
        if let shown = paid?.storefront ?? last?.storefront { prices.byStorefront[shown.code] = price }
        var product = Product(id: id, type: type, referenceName: id, prices: prices)
        product.isFamilyShareable = rows.contains { $0.ownership == .familyShared }
        if type == .autoRenewable, let groupID = last?.groupID {
            let level = (levels[groupID] ?? 0) + 1
            let period = Self.period(of: rows, policy)
            product.plan = SubscriptionPlan(groupID: groupID, level: level, period: period ?? Period(1, .month))
            assumptions.append("its level in group \(groupID) is \(level), the lowest")
            if period == nil { assumptions.append("its period is not known; it is a month") }
        }
        self.product = product
    }

    /// The price of one piece.
    private static func price(_ paid: Transaction?, _ last: Transaction?) -> Money {
        guard let money = paid?.price, let quantity = paid?.quantity else {
            return Money(milliunits: 0, currency: (last?.storefront ?? .unitedStates).currency)
        }
        return Money(milliunits: money.milliunits / Int64(max(1, quantity)), currency: money.currency)
    }

    /// The period whose length the transactions without an offer have; nil if none of them has the length of a period.
    private static func period(of rows: [Transaction], _ policy: Policy) -> Period? {
        let periods = [
            Period(1, .week), Period(1, .month), Period(2, .month), Period(3, .month), Period(6, .month),
            Period(1, .year),
        ]
        for row in rows.sorted(by: { $0.id < $1.id }) where row.offer == nil || row.offer?.mode == .payAsYouGo {
            let found = periods.first { period in
                guard let expires = row.expiresDate else { return false }
                let end = policy.end(of: period, from: row.purchaseDate, anchor: PeriodAnchor(of: row.purchaseDate))
                // A short month or a change to daylight saving time moves an end by some days.
                let limit = period.months == nil ? 0 : policy.rate.isCalendar ? 4 * 86_400_000 : 1_000
                return abs(end.milliseconds - expires.milliseconds) <= limit
            }
            if let found { return found }
        }
        return nil
    }
}
