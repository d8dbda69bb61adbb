import TillCore

extension Product {
    /// A consumable at USD 0.99.
    package static let coins = Product(id: "coins", type: .consumable, referenceName: "Coins", prices: .usd(990))

    /// A non-consumable at USD 1.99.
    package static let skin = Product(id: "skin", type: .nonConsumable, referenceName: "Skin", prices: .usd(1_990))

    /// A non-renewing subscription at USD 9.99.
    package static let season = Product(id: "season", type: .nonRenewing, referenceName: "Season", prices: .usd(9_990))

    /// A monthly plan at USD 4.99 with a free week and Family Sharing.
    package static let pro = plan(isShared: true, offers: .freeWeek).with { $0.referenceName = "Pro" }

    /// An auto-renewable subscription.
    ///
    /// - Parameters:
    ///   - level: The level in the subscription group; 1 is the highest.
    ///   - group: The subscription group. By default, all plans are in the same group.
    ///   - monthly: The monthly price of a commitment that is billed monthly; nil if the plan has no such commitment.
    package static func plan(
        _ id: String = "pro",
        level: Int = 1,
        each period: Period = .month,
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

    /// A copy of the product with Family Sharing.
    package var shared: Product { with { $0.isFamilyShareable = true } }

    /// A copy of the product with a change.
    package func with(_ change: (inout Product) -> Void) -> Product {
        var product = self
        change(&product)
        return product
    }
}

extension PriceList {
    /// A price in the United States, in milliunits (thousandths of a dollar).
    package static func usd(_ milliunits: Int64) -> PriceList {
        PriceList(standard: Money(milliunits: milliunits, currency: "USD"))
    }
}

extension Period {
    /// A week.
    package static let week = Period(1, .week)
    /// A month.
    package static let month = Period(1, .month)
    /// A year.
    package static let year = Period(1, .year)
}
