import TillCore

/// The rules for offers, the same in `.storekit` files and in Till's own JSON form (docs/catalog.md).
enum OfferRules {
    /// The billing periods that a subscription can have.
    static let subscriptionPeriods: [Period] = [
        Period(1, .week), Period(1, .month), Period(2, .month), Period(3, .month), Period(6, .month), Period(1, .year),
    ]

    /// The periods that a free offer or a pay-up-front offer can have.
    static let offerPeriods: [Period] = [
        Period(3, .day), Period(1, .week), Period(2, .week), Period(1, .month), Period(2, .month), Period(3, .month),
        Period(6, .month), Period(1, .year),
    ]

    /// The number of periods that a pay-as-you-go offer can have.
    static let periodCounts = 1...12

    /// The names of billing plans, the same in `.storekit` files and in Till's own JSON form.
    static let billingPlanKinds: KeyValuePairs<String, BillingPlanType> = [
        "BILLED_UPFRONT": .billedUpfront, "MONTHLY": .monthly,
    ]

    /// The price of twelve payments: the commitment price of a monthly plan whose document contains none.
    static func commitment(of prices: PriceList) -> PriceList? {
        guard let standard = prices.standard.times(12) else { return nil }
        return PriceList(standard: standard, byStorefront: prices.byStorefront.compactMapValues { $0.times(12) })
    }

    /// Reports a repeated billing plan, and a monthly plan on a subscription whose period is not one year.
    static func check(
        _ kind: BillingPlanType,
        path: String,
        after plans: [BillingPlan],
        period: Period?,
        reader: inout DocumentReader
    ) {
        if plans.contains(where: { $0.kind == kind }) {
            reader.fault(path, expected: "each billing plan once", found: "\"\(kind.rawValue)\" again")
        }
        if kind == .monthly, let period, period != Period(1, .year) {
            let expected = "\"MONTHLY\" only on a subscription of P1Y"
            reader.fault(path, expected: expected, found: "one of \(period.iso8601)")
        }
    }

    /// The JSON keys of an offer's period and of its number of periods.
    struct Keys {
        let period: String
        let count: String
    }

    /// Reads the length of an offer: a period and its count. Only a pay-as-you-go offer can have a count above 1.
    ///
    /// Free offers and pay-up-front offers have a single period. If a file contains two periods of `P1W`, they are read
    /// as one period of `P2W`. The result must be one of `offerPeriods`.
    ///
    /// - Parameter base: the billing period of the subscription or of its billing plan; nil if the document's is
    ///   invalid.
    static func length(
        of object: DocumentObject,
        mode: OfferDiscountType,
        base: Period?,
        keys: Keys,
        reader: inout DocumentReader
    ) -> (period: Period, count: Int)? {
        let count = object[keys.count] == nil ? 1 : reader.integer(object, keys.count, in: periodCounts)
        if mode == .payAsYouGo {
            guard let base else { return nil }
            let why = ", the subscription's own period"
            guard let period = reader.period(object, keys.period, oneOf: [base], why: why), let count else {
                return nil
            }
            return (period, count)
        }
        guard let count else { return nil }
        if count == 1 {
            return reader.period(object, keys.period, oneOf: offerPeriods).map { ($0, 1) }
        }
        let units = offerPeriods + [Period(1, .day)]
        guard let unit = reader.period(object, keys.period, oneOf: units) else { return nil }
        let whole = unit.times(count)
        guard let period = offerPeriods.first(where: { $0.isAsLong(as: whole) }) else {
            let expected = "1, or a number that makes one of " + offerPeriods.map(\.iso8601).joined(separator: ", ")
            reader.fault(object.path(keys.count), expected: expected, found: "\(count) times \(unit.iso8601)")
            return nil
        }
        return (period, 1)
    }

    /// Reports offers with the same kind, identifier and billing plan on one product.
    static func checkUniqueness(_ offers: [(offer: Offer, path: String)], reader: inout DocumentReader) {
        struct Identity: Hashable {
            let kind: OfferType
            let id: String?
            let plan: BillingPlanType
        }
        var first: [Identity: String] = [:]
        for (offer, path) in offers {
            let identity = Identity(kind: offer.kind, id: offer.id, plan: offer.billingPlan ?? .billedUpfront)
            if let earlier = first[identity] {
                let what = offer.id.map { "\"\($0)\"" } ?? "another"
                reader.fault(
                    path,
                    expected: offer.id == nil ? "one introductory offer" : "a unique identifier for each offer",
                    found: "\(what) after \(earlier)"
                )
            } else {
                first[identity] = path
            }
        }
    }
}
