import Testing
import TillCalendar
import TillConsole
import TillCore
import TillTesting

/// A shop without storage, whose subscriptions are drawn.
struct TimelineStage {
    var stage: CoreStage

    init(
        on day: String = "2026-01-01",
        in environment: StoreEnvironment = .sandbox,
        rate: RenewalRate = .calendar,
        grace: Int? = 16,
        selling products: [Product] = TimelineStage.products
    ) {
        var policy = Policy(for: environment, rate: rate)
        policy.grace = grace.map { GracePeriod(days: $0, coverage: .allRenewals) }
        policy.renewalCap = nil
        policy.commitmentsEverywhere = true
        stage = CoreStage(in: environment, selling: products, policy: policy, at: Timestamp(noon: day))
    }

    /// Advances to noon of a day, or to an instant.
    mutating func advance(to day: String) { stage.advance(to: Timestamp(noon: day)) }

    mutating func perform(_ command: Command, by customer: String = "ann") throws { try stage.perform(customer, command) }

    mutating func buy(
        _ product: String,
        _ offer: OfferChoice = .automatic,
        monthly: Bool = false,
        by customer: String = "ann"
    ) throws {
        let plan: BillingPlan.Kind? = monthly ? .monthly : nil
        try perform(.purchase(Purchase(productID: product, offer: offer, billingPlan: plan)), by: customer)
    }

    func subscription(
        _ customer: String = "ann",
        _ ownership: Ownership = .purchased
    ) throws -> any HeldSubscription {
        try #require(stage.accounts[customer]?.heldSubscriptions.first { $0.ownership == ownership })
    }

    /// The input of the subscription's timeline.
    func facts(_ customer: String = "ann", _ ownership: Ownership = .purchased) throws -> TimelineFacts {
        let account = try #require(stage.accounts[customer])
        let subscription = try subscription(customer, ownership)
        return TimelineFacts(
            of: subscription,
            held: account,
            rows: stage.history(customer),
            notifications: stage.notifications,
            catalog: stage.catalog,
            policy: stage.policy,
            at: stage.now
        )
    }

    func timeline(_ customer: String = "ann", _ ownership: Ownership = .purchased, width: Double = 1_040) throws
        -> Timeline
    {
        Timeline(try facts(customer, ownership), width: width)
    }

    // MARK: Products

    static func usd(_ milliunits: Int64) -> PriceList {
        PriceList(standard: Money(milliunits: milliunits, currency: "USD"))
    }

    static func plan(
        _ id: String,
        level: Int,
        _ period: Period = Period(1, .month),
        price: Int64,
        offers: [Offer] = [],
        monthly: Int64? = nil
    ) -> Product {
        let plans = monthly.map { [BillingPlan(kind: .monthly, prices: usd($0))] } ?? []
        return Product(
            id: id,
            type: .autoRenewable,
            referenceName: id,
            prices: usd(price),
            isFamilyShareable: true,
            plan: SubscriptionPlan(groupID: "20450880", level: level, period: period, billingPlans: plans),
            offers: offers
        )
    }

    static let trial = Offer(kind: .introductory, mode: .freeTrial, period: Period(1, .week))

    static let products = [
        plan("year", level: 1, Period(1, .year), price: 99_990, monthly: 9_990),
        plan("pro", level: 2, price: 9_990, offers: [trial]),
        plan("basic", level: 3, price: 4_990),
    ]
}

extension TimelineFacts {
    /// The input from a shop without storage.
    init(
        of subscription: any HeldSubscription,
        held account: Account,
        rows: some Sequence<Transaction>,
        notifications: [Notification],
        catalog: Catalog,
        policy: Policy,
        at now: Timestamp
    ) {
        let notices = notifications.filter {
            $0.account == account.id && $0.transaction.originalID == subscription.originalID
        }
        self.init(
            rows: rows.filter { $0.account == account.id && $0.originalID == subscription.originalID },
            subscription: subscription,
            renewal: RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy),
            notices: notices.map { notification in
                TimelineNotice(
                    type: notification.type.rawValue,
                    subtype: notification.subtype?.rawValue,
                    date: notification.signedDate,
                    transaction: notification.transaction.id,
                    fate: .arrived,
                    address: "/console/notification/\(notification.number)"
                )
            },
            products: catalog.products.values.sorted { ($0.plan?.level ?? 0, $0.id) < ($1.plan?.level ?? 0, $1.id) }
                .map { ($0.id, "Plan \($0.id)") },
            now: now
        )
    }
}

extension Timestamp {
    /// Noon UTC of a day, `2026-01-31`, or an instant, `2026-01-31T18:30:00Z`.
    init(noon text: String) {
        let parts = text.split { "-T:Z".contains($0) }.compactMap { Int64($0) }
        let (year, month, day) = (parts[0], parts[1], parts[2])
        let time = parts.count > 3 ? parts[3] * 3_600 + parts[4] * 60 + parts[5] : 43_200
        guard let date = CivilDate(year: year, month: month, day: day) else { preconditionFailure("no day: \(text)") }
        self.init(seconds: date.daysSince1970 * 86_400 + time)
    }
}
