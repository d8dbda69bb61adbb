import Testing
import TillCore
import TillTestSupport

/// A scenario of a shop: typed operations on dates, and one timeline of all notifications to the developer's server.
/// It is independent of its stage, so that the same text holds for the rules alone, a store and a server. Accounts are
/// created when a customer first acts.
final class Scenario {
    let stage: any Stage
    let hours: Hours
    private(set) var now: Timestamp
    /// The catalog at the beginning: the timeline writes prices that differ from it.
    let products: [String: Product]
    /// The present catalog.
    private var catalog: [String: Product]
    private var customers: Set<String> = []

    /// A shop that opens on a day.
    ///
    /// - Parameters:
    ///   - environment: Sandbox charges nothing ahead; Production charges a day before a period ends.
    ///   - change: settings that differ from the defaults.
    init(
        at kind: StageKind,
        on start: String,
        in environment: StoreEnvironment = .sandbox,
        selling products: [Product],
        rate: RenewalRate = .calendar,
        grace: GracePeriod? = nil,
        choosing change: (inout Policy) -> Void = { _ in }
    ) async throws {
        var policy = Policy(for: environment, rate: rate)
        policy.grace = grace
        change(&policy)
        now = Hours.start(start)
        hours = Hours(of: now)
        self.products = Dictionary(uniqueKeysWithValues: products.map { ($0.id, $0) })
        catalog = self.products
        stage = try await kind.open(
            StageSettings(environment: environment, products: products, policy: policy, start: now)
        )
    }

    // MARK: Time

    /// Advances the time to a date, including everything that falls due up to and at that hour.
    func advance(to date: String) async throws {
        now = hours.instant(date)
        try await stage.advance(to: now)
    }

    func instant(_ date: String) -> Timestamp { hours.instant(date) }

    // MARK: Buying

    func opens(_ customer: String, in storefront: String = "USA") async throws {
        guard customers.insert(customer).inserted else { return }
        let place = try #require(Storefront(code: storefront))
        try await stage.open(customer, storefront: place)
    }

    func buys(
        _ customer: String,
        _ product: String,
        quantity: Int = 1,
        offer: OfferChoice = .automatic,
        monthly: Bool = false,
        isInterrupted: Bool = false,
        at price: PriceOverride? = nil,
        in storefront: Storefront? = nil,
        token: String? = nil
    ) async throws {
        let purchase = Purchase(
            productID: product,
            quantity: quantity,
            storefront: storefront,
            price: price,
            appAccountToken: token,
            offer: offer,
            billingPlan: monthly ? .monthly : nil,
            isInterrupted: isInterrupted
        )
        try await does(customer, .purchase(purchase))
    }

    /// For the shop a change of plan is a purchase of another product of the group.
    func changesPlan(_ customer: String, to product: String, offer: OfferChoice = .automatic) async throws {
        try await buys(customer, product, offer: offer)
    }

    func asksToBuy(_ customer: String, _ asks: Bool = true) async throws {
        try await does(customer, .setAskToBuy(asks))
    }

    func approves(_ customer: String, _ number: Int64 = 1) async throws {
        try await does(customer, .decideHeldPurchase(number, approved: true))
    }

    func declines(_ customer: String, _ number: Int64 = 1) async throws {
        try await does(customer, .decideHeldPurchase(number, approved: false))
    }

    // MARK: Renewal

    func cancels(_ customer: String) async throws {
        try await does(customer, .turnAutoRenewOff(try await own(customer).transaction.originalTransactionId))
    }

    func resumes(_ customer: String) async throws {
        try await does(customer, .turnAutoRenewOn(try await own(customer).transaction.originalTransactionId))
    }

    /// Renewals are declined; if `purchases` is set, purchases too.
    func declinesCard(of customer: String, withPurchases: Bool = false) async throws {
        try await does(customer, .useCard(withPurchases ? .declined : .declinedForRenewals))
    }

    func acceptsCard(of customer: String) async throws { try await does(customer, .useCard(.accepted)) }

    func extends(_ customer: String, days: Int, request: String) async throws {
        let original = try await own(customer).transaction.originalTransactionId
        try await does(customer, .extend(original, days: days, request: request))
    }

    func massExtends(_ product: String, days: Int, request: String) async throws {
        try await stage.perform(
            Job.Work.extend(MassExtension(productID: product, days: days, reasonCode: 3, request: request))
        )
    }

    // MARK: Prices and the catalog

    /// The catalog's price changes for new customers, and for subscribers unless their price is preserved.
    func raisesPrice(
        of product: String,
        to milliunits: Int64,
        consent: PriceRaise.Consent = .automatic,
        preserving: Bool = false
    ) async throws {
        try await changes(product) { $0.prices = .usd(milliunits) }
        guard !preserving else { return }
        try await stage.perform(
            Job.Work.raisePrice(PriceRaise(productID: product, prices: .usd(milliunits), consent: consent))
        )
    }

    func lowersPrice(of product: String, to milliunits: Int64) async throws {
        try await changes(product) { $0.prices = .usd(milliunits) }
    }

    func acceptsPrice(_ customer: String) async throws {
        try await does(customer, .acceptPriceIncrease(try await own(customer).transaction.originalTransactionId))
    }

    func removesFromSale(_ product: String) async throws { try await changes(product) { $0.isForSale = false } }

    func putsOnSale(_ product: String) async throws { try await changes(product) { $0.isForSale = true } }

    private func changes(_ product: String, _ change: (inout Product) -> Void) async throws {
        var changed = try #require(catalog[product])
        change(&changed)
        catalog[product] = changed
        try await stage.put(changed)
    }

    // MARK: Refunds

    /// The customer requests a refund of the transaction of a date, or of their latest.
    func requestsRefund(
        _ customer: String,
        of date: String? = nil,
        because reason: ConsumptionRequestReason = .unintendedPurchase
    ) async throws {
        try await does(customer, .requestRefund(try await transaction(of: customer, date).transactionId, reason))
    }

    func sendsConsumption(
        about customer: String,
        of date: String? = nil,
        preferring preference: ConsumptionReport.Preference?,
        consumed: Int? = nil
    ) async throws {
        let report = ConsumptionReport(preference: preference, consumptionPercentage: consumed)
        try await does(customer, .reportConsumption(try await transaction(of: customer, date).transactionId, report))
    }

    func grantsRefund(
        to customer: String,
        of date: String? = nil,
        _ share: Refund.Share = .full,
        because reason: RevocationReason = .other
    ) async throws {
        try await does(customer, .refund(try await transaction(of: customer, date).transactionId, share, reason))
    }

    func declinesRefund(of customer: String, _ date: String? = nil) async throws {
        try await does(customer, .declineRefund(try await transaction(of: customer, date).transactionId))
    }

    func reversesRefund(of customer: String, _ date: String? = nil) async throws {
        try await does(customer, .reverseRefund(try await transaction(of: customer, date).transactionId))
    }

    // MARK: Families

    func joins(_ customer: String, familyOf host: String) async throws {
        try await opens(host)
        try await does(customer, .joinFamily(of: host))
    }

    func leaves(_ customer: String) async throws { try await does(customer, .leaveFamily) }

    func shares(_ customer: String, _ shares: Bool) async throws {
        try await does(
            customer,
            .shareWithFamily(try await transaction(of: customer, nil).originalTransactionId, shares)
        )
    }

    // MARK: Reading the state

    /// The customer's own subscription; the latest if there are several.
    func own(_ customer: String) async throws -> ReceivedSubscription {
        let all = try await stage.subscriptions(of: customer)
        return try #require(all.last { $0.transaction.inAppOwnershipType == "PURCHASED" })
    }

    /// The subscription that a family member shares with the customer.
    func shared(_ customer: String) async throws -> ReceivedSubscription {
        let all = try await stage.subscriptions(of: customer)
        return try #require(all.last { $0.transaction.inAppOwnershipType == "FAMILY_SHARED" })
    }

    /// The customer's own transaction whose period began on a date, or the latest one.
    func transaction(of customer: String, _ date: String?) async throws -> ReceivedTransaction {
        let own = try await stage.history(of: customer).filter { $0.inAppOwnershipType == "PURCHASED" }
            .sorted {
                ($0.purchaseDate, Int64($0.transactionId) ?? 0) < ($1.purchaseDate, Int64($1.transactionId) ?? 0)
            }
        guard let date else { return try #require(own.last) }
        let wanted = hours.instant(date)
        return try #require(own.last { $0.purchaseDate == wanted }, "nothing of \(customer) began on \(date)")
    }

    /// An operation that the rules refuse.
    func refuses(
        _ code: String,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ operation: () async throws -> Void
    ) async throws {
        do {
            try await operation()
            Issue.record("expected the refusal \(code), but nothing was refused", sourceLocation: sourceLocation)
        } catch let refused as Refused {
            #expect(refused.code == code, sourceLocation: sourceLocation)
        }
    }

    private func does(_ customer: String, _ operation: StageOperation) async throws {
        try await opens(customer)
        try await stage.perform(operation, by: customer)
    }

    // MARK: The timeline

    /// Expects exactly these notifications since the beginning, and that each of them keeps the laws.
    func expect(_ timeline: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let received = Timeline.ordered(try await stage.received())
        Coverage.note(received)
        let lines = Timeline(of: self).lines(received)
        if let difference = Timeline.difference(of: lines, from: timeline) {
            Issue.record(Comment(rawValue: difference), sourceLocation: sourceLocation)
        }
        for one in received {
            for violation in Laws.violations(by: one) {
                let line = Timeline(of: self).lines([one]).first ?? ""
                Issue.record(Comment(rawValue: "\(line): \(violation)"), sourceLocation: sourceLocation)
            }
        }
    }
}
