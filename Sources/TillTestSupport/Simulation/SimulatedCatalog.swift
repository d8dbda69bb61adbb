import TillCore

/// The products of a simulated shop: one of each kind that the rules distinguish.
package enum SimulatedCatalog {
    /// Two groups of subscriptions, and products of the three other types.
    package static let products = premium + nodeEvent + oneTime

    private static let premium = [
        subscription(
            "gold.month",
            level: 1,
            Period(1, .month),
            9_990,
            isShared: true,
            offers: [
                Offer(kind: .introductory, mode: .freeTrial, period: Period(1, .week)),
                Offer(
                    kind: .promotional,
                    id: "stay",
                    mode: .payAsYouGo,
                    period: Period(1, .month),
                    periodCount: 3,
                    prices: prices(4_990)
                ),
                Offer(kind: .code, id: "SPRING", mode: .freeTrial, period: Period(1, .month), isStackable: true),
                Offer(
                    kind: .winBack,
                    id: "back",
                    mode: .payUpFront,
                    period: Period(3, .month),
                    prices: prices(9_990),
                    winBack: WinBackCriteria(minimumPaidMonths: 1, monthsSinceExpiry: 1...24, monthsBetweenOffers: 2)
                ),
            ]
        ),
        subscription(
            "platinum.month",
            level: 1,
            Period(1, .month),
            12_990,
            isShared: true,
            offers: [
                Offer(kind: .promotional, id: "shine", mode: .freeTrial, period: Period(3, .day)),
                Offer(
                    kind: .code,
                    id: "RETURN",
                    mode: .payUpFront,
                    period: Period(1, .month),
                    prices: prices(5_990),
                    audience: [.expired, .existing]
                ),
            ]
        ),
        subscription(
            "gold.year",
            level: 1,
            Period(1, .year),
            99_990,
            isShared: true,
            billingPlans: [
                BillingPlan(kind: .billedUpfront, prices: prices(99_990)),
                BillingPlan(kind: .monthly, prices: prices(10_990), commitmentPrices: prices(131_880)),
            ],
            offers: [
                Offer(kind: .introductory, mode: .payUpFront, period: Period(2, .month), prices: prices(9_990)),
                Offer(kind: .promotional, id: "year", mode: .freeTrial, period: Period(2, .week)),
            ]
        ),
        subscription(
            "silver.month",
            level: 2,
            Period(1, .month),
            4_990,
            isShared: false,
            offers: [
                Offer(
                    kind: .introductory,
                    mode: .payAsYouGo,
                    period: Period(1, .month),
                    periodCount: 2,
                    prices: prices(990)
                ),
                Offer(kind: .promotional, id: "rest", mode: .freeTrial, period: Period(2, .week)),
                Offer(
                    kind: .code,
                    id: "HELLO",
                    mode: .freeTrial,
                    period: Period(1, .week),
                    audience: [.new],
                    redemptionLimit: 1_000
                ),
                Offer(
                    kind: .winBack,
                    id: "again",
                    mode: .payAsYouGo,
                    period: Period(1, .month),
                    periodCount: 2,
                    prices: prices(1_990)
                ),
            ]
        ),
        subscription(
            "bronze.quarter",
            level: 3,
            Period(3, .month),
            8_990,
            isShared: true,
            offers: [Offer(kind: .promotional, id: "third", mode: .freeTrial, period: Period(1, .month))]
        ),
    ]

    private static let nodeEvent = [
        subscription(
            "news.week",
            group: "20450881",
            level: 1,
            Period(1, .week),
            1_990,
            isShared: true,
            offers: [Offer(kind: .introductory, mode: .freeTrial, period: Period(3, .day))]
        ),
        subscription(
            "news.half",
            group: "20450881",
            level: 2,
            Period(6, .month),
            19_990,
            isShared: false,
            offers: [Offer(kind: .promotional, id: "paper", mode: .freeTrial, period: Period(1, .week))]
        ),
    ]

    private static let oneTime = [
        Product(
            id: "coins",
            type: .consumable,
            referenceName: "Coins",
            prices: prices(990),
            offers: [Offer(kind: .code, id: "COIN", mode: .oneTime, prices: prices(490))]
        ),
        Product(
            id: "skin",
            type: .nonConsumable,
            referenceName: "Skin",
            prices: prices(1_990),
            isFamilyShareable: true
        ),
        Product(id: "badge", type: .nonConsumable, referenceName: "Badge", prices: prices(2_990)),
        Product(id: "season", type: .nonRenewing, referenceName: "Season", prices: prices(9_990)),
    ]

    private static func subscription(
        _ id: String,
        group: String = "20450880",
        level: Int,
        _ period: Period,
        _ price: Int64,
        isShared: Bool,
        billingPlans: [BillingPlan] = [],
        offers: [Offer]
    ) -> Product {
        Product(
            id: id,
            type: .autoRenewable,
            referenceName: id,
            prices: prices(price),
            isFamilyShareable: isShared,
            plan: SubscriptionPlan(groupID: group, level: level, period: period, billingPlans: billingPlans),
            offers: offers
        )
    }

    /// This many thousandths of a dollar, and other prices in Germany and Japan.
    static func prices(_ milliunits: Int64) -> PriceList {
        PriceList(
            standard: Money(milliunits: milliunits, currency: "USD"),
            byStorefront: [
                "DEU": Money(milliunits: milliunits + 1_000, currency: "EUR"),
                "JPN": Money(milliunits: milliunits * 150, currency: "JPY"),
            ]
        )
    }
}
