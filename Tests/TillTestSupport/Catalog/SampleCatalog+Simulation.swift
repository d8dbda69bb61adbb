import TillCore

extension SampleCatalog {
    /// The products of random workloads: two subscription groups with offers of every kind, and products of the three
    /// other types. Their prices in Germany and Japan differ from the standard price.
    package static let simulation: [Product] = (premium + news + oneTime).map(\.pricedAbroad)

    private static let premium: [Product] = [
        .plan(
            "gold.month",
            at: 9_990,
            isShared: true,
            offers: .freeWeek,
            .payAsYouGo(.promotional, "stay", times: 3, at: 4_990),
            .free(.code, "SPRING").with { $0.isStackable = true },
            .payUpFront(.winBack, "back", for: Period(3, .month), at: 9_990).with {
                $0.winBack = WinBackCriteria(minimumPaidMonths: 1, monthsSinceExpiry: 1...24, monthsBetweenOffers: 2)
            }
        ),
        .plan(
            "platinum.month",
            at: 12_990,
            isShared: true,
            offers: .free(.promotional, "shine", for: Period(3, .day)),
            .payUpFront(.code, "RETURN", for: .month, at: 5_990).with { $0.audience = [.expired, .existing] }
        ),
        .plan(
            "gold.year",
            each: .year,
            at: 99_990,
            isShared: true,
            monthlyAt: 10_990,
            offers: .payUpFront(.introductory, for: Period(2, .month), at: 9_990),
            .free(.promotional, "year", for: Period(2, .week))
        ).with { $0.plan?.billingPlans[1].commitmentPrices = .usd(131_880) },
        .plan(
            "silver.month",
            level: 2,
            offers: .payAsYouGo(.introductory, times: 2, at: 990),
            .free(.promotional, "rest", for: Period(2, .week)),
            .free(.code, "HELLO", for: .week).with {
                $0.audience = [.new]
                $0.redemptionLimit = 1_000
            },
            .payAsYouGo(.winBack, "again", times: 2, at: 1_990)
        ),
        .plan(
            "bronze.quarter",
            level: 3,
            each: Period(3, .month),
            at: 8_990,
            isShared: true,
            offers: .free(.promotional, "third")
        ),
    ]

    private static let news: [Product] = [
        .plan(
            "news.week",
            each: .week,
            at: 1_990,
            group: "20450881",
            isShared: true,
            offers: .free(.introductory, for: Period(3, .day))
        ),
        .plan(
            "news.half",
            level: 2,
            each: Period(6, .month),
            at: 19_990,
            group: "20450881",
            offers: .free(.promotional, "paper", for: .week)
        ),
    ]

    private static let oneTime: [Product] = [
        .coins.with { $0.offers = [Offer(kind: .code, id: "COIN", mode: .oneTime, prices: .usd(490))] },
        .skin.shared,
        Product(id: "badge", type: .nonConsumable, referenceName: "Badge", prices: .usd(2_990)),
        .season,
    ]
}

extension Product {
    /// A copy of the product with different prices in Germany and Japan.
    fileprivate var pricedAbroad: Product {
        with { product in
            product.prices = product.prices.abroad
            for index in product.offers.indices {
                product.offers[index].prices = product.offers[index].prices?.abroad
            }
            for index in (product.plan?.billingPlans ?? []).indices {
                guard let plan = product.plan?.billingPlans[index] else { continue }
                product.plan?.billingPlans[index].prices = plan.prices.abroad
                product.plan?.billingPlans[index].commitmentPrices = plan.commitmentPrices?.abroad
            }
        }
    }
}

extension PriceList {
    fileprivate var abroad: PriceList {
        PriceList(
            standard: standard,
            byStorefront: [
                "DEU": Money(milliunits: standard.milliunits + 1_000, currency: "EUR"),
                "JPN": Money(milliunits: standard.milliunits * 150, currency: "JPY"),
            ]
        )
    }
}
