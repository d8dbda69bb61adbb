import TillControl

/// The products of the fixtures: every product type, every kind of offer, and products of their own for operations that
/// affect all customers of a product.
enum FixtureCatalog {
    static let coins = "coins"
    static let tickets = "tickets"
    static let season = "season"
    static let forever = "forever"
    static let basic = "basic.month"
    static let pro = "pro.month"
    static let extra = "extra.week"
    static let upFront = "upfront.month"
    static let dear = "dear.month"
    static let gone = "gone.month"
    static let extended = "extended.month"
    static let committed = "committed.year"

    /// The catalog. Product identifiers begin with the bundle identifier.
    static func catalog(of bundleID: String) -> CatalogInfo {
        func product(_ name: String, _ type: ProductTypeName, _ price: String) -> ProductInfo {
            ProductInfo(productId: "\(bundleID).\(name)", type: type, referenceName: name, price: price)
        }
        func plan(_ name: String, _ price: String, _ group: Int, _ level: Int = 1, _ period: String = "P1M")
            -> ProductInfo
        {
            var info = product(name, .autoRenewable, price)
            info.subscription = SubscriptionPlanInfo(groupId: "2045088\(group)", level: level, period: period)
            return info
        }
        var tickets = product(tickets, .consumable, "1.99")
        tickets.offers = [OfferInfo(kind: .code, id: "GIFT", mode: .oneTime, price: "0.49")]
        var forever = product(forever, .nonConsumable, "9.99")
        forever.familyShareable = true
        var basic = plan(basic, "4.99", 0, 2)
        basic.offers = offersOfBasic
        var pro = plan(pro, "9.99", 0)
        pro.familyShareable = true
        pro.offers = [paid(.promotional, .payAsYouGo, "7.99", "P1M", 2, id: "upgrade")]
        var extra = plan(extra, "1.49", 1, 1, "P1W")
        extra.offers = [paid(.introductory, .payAsYouGo, "0.49", "P1W", 4)]
        var upFront = plan(upFront, "3.99", 2)
        upFront.offers = [paid(.introductory, .payUpFront, "5.99", "P3M", 1)]
        var extended = plan(extended, "2.99", 5)
        extended.offers = [OfferInfo(kind: .introductory, mode: .freeTrial, period: "P1M", periodCount: 1)]
        var committed = plan(committed, "47.88", 6, 1, "P1Y")
        committed.subscription?.billingPlans = [
            BillingPlanInfo(kind: .monthly, price: "4.49", commitment: PriceListInfo(price: "53.88"))
        ]
        return CatalogInfo(products: [
            product(coins, .consumable, "0.99"), tickets, product(season, .nonRenewing, "4.99"), forever, basic, pro,
            extra,
            upFront, plan(dear, "4.99", 3), plan(gone, "2.99", 4), extended, committed,
        ])
    }

    private static var offersOfBasic: [OfferInfo] {
        [
            OfferInfo(kind: .introductory, mode: .freeTrial, period: "P1W", periodCount: 1),
            paid(.promotional, .payAsYouGo, "2.99", "P1M", 3, id: "stay"),
            paid(.promotional, .payUpFront, "9.99", "P6M", 1, id: "half"),
            OfferInfo(kind: .promotional, id: "month", mode: .freeTrial, period: "P1M", periodCount: 1),
            OfferInfo(kind: .code, id: "SPRING", mode: .freeTrial, period: "P2M", periodCount: 1, audience: [.new]),
            paid(.code, .payAsYouGo, "1.99", "P1M", 2, id: "STAYING", audience: [.existing]),
            paid(.winBack, .payUpFront, "6.99", "P3M", 1, id: "return"),
        ]
    }

    private static func paid(
        _ kind: OfferKind,
        _ mode: OfferDiscountType,
        _ price: String,
        _ period: String,
        _ count: Int,
        id: String? = nil,
        audience: [OfferAudience]? = nil
    ) -> OfferInfo {
        OfferInfo(
            kind: kind,
            id: id,
            mode: mode,
            period: period,
            periodCount: count,
            price: price,
            audience: audience
        )
    }
}
