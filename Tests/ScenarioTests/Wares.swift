import TillCore

/// The products of the scenarios, short.
extension Product {
    static let coins = Product(id: "coins", type: .consumable, referenceName: "Coins", prices: .usd(990))

    static func skin(isShared: Bool = false) -> Product {
        Product(
            id: "skin",
            type: .nonConsumable,
            referenceName: "Skin",
            prices: .usd(1_990),
            isFamilyShareable: isShared
        )
    }

    static let season = Product(id: "season", type: .nonRenewing, referenceName: "Season", prices: .usd(9_990))

    /// A subscription; all are in one group unless specified otherwise.
    static func plan(
        _ id: String = "pro",
        level: Int = 1,
        each period: Period = Period(1, .month),
        at price: Int64 = 4_990,
        group: String = "20450880",
        isShared: Bool = false,
        monthlyAt monthly: Int64? = nil,
        offers: Offer...
    ) -> Product {
        let plans = monthly.map { monthly in
            [
                BillingPlan(kind: .billedUpfront, prices: .usd(price)),
                BillingPlan(kind: .monthly, prices: .usd(monthly)),
            ]
        }
        return Product(
            id: id,
            type: .autoRenewable,
            referenceName: id,
            prices: .usd(price),
            isFamilyShareable: isShared,
            plan: SubscriptionPlan(groupID: group, level: level, period: period, billingPlans: plans ?? []),
            offers: offers
        )
    }
}

extension PriceList {
    static func usd(_ milliunits: Int64) -> PriceList {
        PriceList(standard: Money(milliunits: milliunits, currency: "USD"))
    }
}

extension Period {
    static let week = Period(1, .week)
    static let month = Period(1, .month)
    static let year = Period(1, .year)
}

extension Offer {
    /// An introductory free week.
    static let freeWeek = Offer(kind: .introductory, mode: .freeTrial, period: .week)

    static func free(_ kind: OfferKind, _ id: String? = nil, for period: Period = .month) -> Offer {
        Offer(kind: kind, id: id, mode: .freeTrial, period: period)
    }

    static func payUpFront(
        _ kind: OfferKind,
        _ id: String? = nil,
        for period: Period,
        at price: Int64,
        isStackable: Bool = false
    ) -> Offer {
        Offer(kind: kind, id: id, mode: .payUpFront, period: period, prices: .usd(price), isStackable: isStackable)
    }

    static func payAsYouGo(_ kind: OfferKind, _ id: String? = nil, times count: Int, at price: Int64) -> Offer {
        Offer(kind: kind, id: id, mode: .payAsYouGo, period: .month, periodCount: count, prices: .usd(price))
    }
}
