import TillCore

/// One product of each type, short, for tests that need a product to sell.
package enum SampleProducts {
    /// Coins, a skin with Family Sharing, a season, and a subscription with Family Sharing.
    package static let all = [coins, skin, season, monthly]

    /// A consumable at USD 0.99.
    package static let coins = Product(id: "coins", type: .consumable, referenceName: "Coins", prices: usd(990))

    /// A non-consumable at USD 1.99 with Family Sharing.
    package static let skin = Product(
        id: "skin",
        type: .nonConsumable,
        referenceName: "Skin",
        prices: usd(1_990),
        isFamilyShareable: true
    )

    /// A non-renewing subscription at USD 9.99.
    package static let season = Product(id: "season", type: .nonRenewing, referenceName: "Season", prices: usd(9_990))

    /// A monthly subscription at USD 4.99 with a free week and Family Sharing.
    package static let monthly = Product(
        id: "pro",
        type: .autoRenewable,
        referenceName: "Pro",
        prices: usd(4_990),
        isFamilyShareable: true,
        plan: SubscriptionPlan(groupID: "20450880", level: 1, period: Period(1, .month)),
        offers: [Offer(kind: .introductory, mode: .freeTrial, period: Period(1, .week))]
    )

    private static func usd(_ milliunits: Int64) -> PriceList {
        PriceList(standard: Money(milliunits: milliunits, currency: "USD"))
    }
}
