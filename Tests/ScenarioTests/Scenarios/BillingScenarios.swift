import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("Renewals whose payment fails")
    struct Billing {}
}

extension Scenarios.Billing {
    @Test(
        "A customer keeps access during the grace period; after sixty days of billing retry the subscription ends",
        arguments: BackendKind.all
    )
    func declinedCard(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .freeWeek)],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-20")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-12-31")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  trial until 2026-01-08
            2026-01-08  DID_RENEW                       status 1  paid until 2026-02-08
            2026-02-08  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-24
            2026-02-24  GRACE_PERIOD_EXPIRED            status 3
            2026-04-09  EXPIRED BILLING_RETRY           status 2
            """
        )
    }

    @Test("The app can have a grace period of three days", arguments: BackendKind.all)
    func threeDays(at backend: BackendKind) async throws {
        try await grace(of: 3, each: .month, at: backend).expectNotifications(
            """
            2026-10-05  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-11-05
            2026-11-05  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-11-08
            2026-11-08  GRACE_PERIOD_EXPIRED            status 3
            2027-01-04  EXPIRED BILLING_RETRY           status 2
            """
        )
    }

    @Test("The app can have a grace period of twenty-eight days", arguments: BackendKind.all)
    func twentyEightDays(at backend: BackendKind) async throws {
        try await grace(of: 28, each: .month, at: backend).expectNotifications(
            """
            2026-10-05  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-11-05
            2026-11-05  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-12-03
            2026-12-03  GRACE_PERIOD_EXPIRED            status 3
            2027-01-04  EXPIRED BILLING_RETRY           status 2
            """
        )
    }

    @Test(
        "A weekly subscription has a grace period of three days if the app has three days",
        arguments: BackendKind.all
    )
    func weeklyThree(at backend: BackendKind) async throws {
        try await grace(of: 3, each: .week, at: backend).expectNotifications(
            """
            2026-10-05  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-10-12
            2026-10-12  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-10-15
            2026-10-15  GRACE_PERIOD_EXPIRED            status 3
            2026-12-11  EXPIRED BILLING_RETRY           status 2
            """
        )
    }

    @Test("A weekly subscription has a grace period of six days if the app has sixteen", arguments: BackendKind.all)
    func weeklySix(at backend: BackendKind) async throws {
        try await grace(of: 16, each: .week, at: backend).expectNotifications(
            """
            2026-10-05  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-10-12
            2026-10-12  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-10-18
            2026-10-18  GRACE_PERIOD_EXPIRED            status 3
            2026-12-11  EXPIRED BILLING_RETRY           status 2
            """
        )
    }

    @Test(
        "A weekly subscription has a grace period of six days if the app has twenty-eight",
        arguments: BackendKind.all
    )
    func weeklyTwentyEight(at backend: BackendKind) async throws {
        try await grace(of: 28, each: .week, at: backend).expectNotifications(
            """
            2026-10-05  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-10-12
            2026-10-12  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-10-18
            2026-10-18  GRACE_PERIOD_EXPIRED            status 3
            2026-12-11  EXPIRED BILLING_RETRY           status 2
            """
        )
    }

    private func grace(
        of days: Int,
        each period: Period,
        at backend: BackendKind
    ) async throws -> Scenario {
        let shop = try await Scenario(
            at: backend,
            on: "2026-10-05",
            selling: [.plan(each: period)],
            grace: GracePeriod(days: days)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2027-02-01")
        return shop
    }

    @Test(
        "A grace period for paid-to-paid renewals does not cover the end of a trial or of an offer",
        arguments: BackendKind.all
    )
    func paidToPaidOnly(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .freeWeek, .payUpFront(.code, "SPRING", for: .month, at: 990))],
            grace: GracePeriod(days: 16, coverage: .paidToPaidOnly)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.buy("pro", by: "bob", offer: .code("SPRING"))
        try await shop.buy("pro", by: "cat", offer: .none)
        for customer in ["ann", "bob", "cat"] { try await shop.declineCard(of: customer) }
        try await shop.advance(to: "2026-02-10")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  trial until 2026-01-08
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01 at 0.99 by code SPRING
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-08  ann  DID_FAIL_TO_RENEW               status 3
            2026-02-01  bob  DID_FAIL_TO_RENEW               status 3
            2026-02-01  cat  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            """
        )
    }

    @Test("A grace period for all renewals covers the end of a trial", arguments: BackendKind.all)
    func allRenewals(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .freeWeek)],
            grace: GracePeriod(days: 3)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-01-15")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  trial until 2026-01-08
            2026-01-08  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-01-11
            2026-01-11  GRACE_PERIOD_EXPIRED            status 3
            """
        )
    }

    @Test(
        "A customer who recovers between two periods of a pay-as-you-go offer still pays the offer price",
        arguments: BackendKind.all
    )
    func payAsYouGo(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .payAsYouGo(.introductory, times: 3, at: 990))],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-05")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-04-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01 at 0.99 by intro, again
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17, next 0.99 by intro
            2026-02-05  DID_RENEW BILLING_RECOVERY      status 1  paid 2026-02-01 to 2026-03-01 at 0.99 by intro, again
            2026-03-01  DID_RENEW                       status 1  paid until 2026-04-01 at 0.99 by intro
            2026-04-01  DID_RENEW                       status 1  paid until 2026-05-01
            """
        )
    }

    @Test("A renewal into a free offer period succeeds with a declined payment method", arguments: BackendKind.all)
    func freePeriod(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .free(.promotional, "thanks"))]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.buy("pro", by: "ann", offer: .promotional("thanks"))
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-01-01  OFFER_REDEEMED          status 1  next free by promo thanks
            2026-02-01  DID_RENEW               status 1  trial until 2026-03-01 by promo thanks
            2026-03-01  DID_FAIL_TO_RENEW       status 3
            """
        )
    }

    @Test("One valid payment method recovers all subscriptions in billing retry", arguments: BackendKind.all)
    func twoSubscriptions(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(), .plan("radio", group: "21000000")]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.buy("radio", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-05")
        try await shop.acceptCard(of: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  pro, paid until 2026-02-01
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  radio, paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW           status 3  pro
            2026-02-01  DID_FAIL_TO_RENEW           status 3  radio
            2026-02-05  DID_RENEW BILLING_RECOVERY  status 1  pro, paid until 2026-03-05
            2026-02-05  DID_RENEW BILLING_RECOVERY  status 1  radio, paid until 2026-03-05
            """
        )
    }

    @Test("A payment method that is declined for everything refuses purchases, too", arguments: BackendKind.all)
    func purchases(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(), .coins])
        try await shop.declineCard(of: "ann", withPurchases: true)
        try await shop.expectRefusal("card_declined") { try await shop.buy("coins", by: "ann") }
        try await shop.declineCard(of: "ann")
        try await shop.buy("coins", by: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  ONE_TIME_CHARGE    coins
            """
        )
    }

    @Test(
        "A recovery after the grace period moves the billing date; a recovery within it keeps the date",
        arguments: BackendKind.all
    )
    func anchors(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-31",
            selling: [.plan()],
            grace: GracePeriod(days: 3)
        )
        for customer in ["ann", "bob"] {
            try await shop.buy("pro", by: customer)
            try await shop.declineCard(of: customer)
        }
        try await shop.advance(to: "2026-03-02")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-03-04")
        try await shop.acceptCard(of: "bob")
        try await shop.advance(to: "2026-05-10")
        try await shop.expectNotifications(
            """
            2026-01-31  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-28
            2026-01-31  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-28
            2026-02-28  ann  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-03-03
            2026-02-28  bob  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-03-03
            2026-03-02  ann  DID_RENEW BILLING_RECOVERY      status 1  paid 2026-02-28 to 2026-03-31
            2026-03-03  bob  GRACE_PERIOD_EXPIRED            status 3
            2026-03-04  bob  DID_RENEW BILLING_RECOVERY      status 1  paid until 2026-04-04
            2026-03-31  ann  DID_RENEW                       status 1  paid until 2026-04-30
            2026-04-04  bob  DID_RENEW                       status 1  paid until 2026-05-04
            2026-04-30  ann  DID_RENEW                       status 1  paid until 2026-05-31
            2026-05-04  bob  DID_RENEW                       status 1  paid until 2026-06-04
            """
        )
    }

    @Test(
        "After a refund is reversed during grace, a payment method that became valid recovers the renewal",
        arguments: BackendKind.all
    )
    func reversed(at backend: BackendKind) async throws {
        let grace = GracePeriod(days: 16)
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()], grace: grace)
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-03")
        try await shop.grantRefund(to: "ann")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-02-05")
        try await shop.reverseRefund(to: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-03  REFUND                          status 5  REFUND_FULL
            2026-02-05  REFUND_REVERSED                 status 4
            2026-02-05  DID_RENEW BILLING_RECOVERY      status 1  paid 2026-02-01 to 2026-03-01
            """
        )
    }

    @Test(
        "A customer who buys the product in billing retry pays the renewal, and does not get an unused trial",
        arguments: BackendKind.all
    )
    func unusedTrial(at backend: BackendKind) async throws {
        let trial = Offer(kind: .introductory, mode: .freeTrial, period: Period(1, .week))
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(offers: trial)])
        try await shop.buy("pro", by: "ann", offer: .none)
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-03")
        try await shop.buy("pro", by: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW           status 3
            2026-02-03  DID_RENEW BILLING_RECOVERY  status 1  paid until 2026-03-03
            """
        )
    }

    @Test("A pending downgrade takes effect when the customer's payment recovers", arguments: BackendKind.all)
    func deferredChange(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top"), .plan("low", level: 2, at: 1_990)]
        )
        try await shop.buy("top", by: "ann")
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-05")
        try await shop.acceptCard(of: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  top, paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-02-01  DID_FAIL_TO_RENEW                status 3  top, then low
            2026-02-05  DID_RENEW BILLING_RECOVERY       status 1  low, paid until 2026-03-05
            """
        )
    }

    @Test(
        "During billing retry, a purchase with another billing plan, price or storefront begins a new period",
        arguments: BackendKind.all
    )
    func askingForMore(at backend: BackendKind) async throws {
        let year = Product.plan("year", each: .year, at: 99_990, monthlyAt: 9_990)
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [year])
        let customers = ["ann", "bob", "cat", "dan"]
        for customer in customers {
            try await shop.buy("year", by: customer)
            try await shop.declineCard(of: customer)
        }
        try await shop.advance(to: "2027-01-03")
        try await shop.buy("year", by: "ann", monthly: true)
        try await shop.buy("year", by: "bob", at: PriceOverride(milliunits: 79_990))
        try await shop.buy("year", by: "cat", in: Storefront(code: "CAN"))
        let token = "7e3fb20b-4cdb-47cc-936d-99d65f608138"
        try await shop.buy("year", by: "dan", token: token)
        #expect(try await shop.own("dan").transaction.appAccountToken == token)
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY      status 1  paid until 2027-01-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY      status 1  paid until 2027-01-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY      status 1  paid until 2027-01-01
            2026-01-01  dan  SUBSCRIBED INITIAL_BUY      status 1  paid until 2027-01-01
            2027-01-01  ann  DID_FAIL_TO_RENEW           status 3
            2027-01-01  bob  DID_FAIL_TO_RENEW           status 3
            2027-01-01  cat  DID_FAIL_TO_RENEW           status 3
            2027-01-01  dan  DID_FAIL_TO_RENEW           status 3
            2027-01-03  ann  SUBSCRIBED RESUBSCRIBE      status 1  until 2027-02-03, 1/12 to 2028-01-03
            2027-01-03  bob  SUBSCRIBED RESUBSCRIBE      status 1  paid until 2028-01-03 at 79.99
            2027-01-03  cat  SUBSCRIBED RESUBSCRIBE      status 1  paid until 2028-01-03
            2027-01-03  dan  DID_RENEW BILLING_RECOVERY  status 1  paid until 2028-01-03
            """
        )
    }

    @Test(
        "A customer gets no introductory offer during the grace period, because the service continues",
        arguments: BackendKind.all
    )
    func trialInGrace(at backend: BackendKind) async throws {
        let trial = Offer(kind: .introductory, mode: .freeTrial, period: Period(1, .week))
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: trial), .plan("top", at: 9_990, offers: trial)],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann", offer: .none)
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-03")
        try await shop.expectRefusal("offer_needs_no_subscription") {
            try await shop.buy("pro", by: "ann", offer: .introductory(evenIfUsed: false))
        }
        try await shop.buy("top", by: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  pro, paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  pro, grace until 2026-02-17
            2026-02-03  SUBSCRIBED RESUBSCRIBE          status 1  top, paid until 2026-03-03
            """
        )
    }
}
