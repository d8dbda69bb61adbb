import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("Price changes")
    struct Prices {}
}

extension Scenarios.Prices {
    @Test(
        "A subscriber is notified of a small price increase twenty-seven days ahead, and need not consent",
        arguments: BackendKind.all
    )
    func notice(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        for customer in ["ann", "bob"] { try await shop.buy("pro", by: customer) }
        try await shop.raisePrice(of: "pro", to: 5_990)
        try await shop.expectRefusal("no_price_increase") { try await shop.acceptPriceIncrease(of: "ann") }
        try await shop.advance(to: "2026-01-10")
        try await shop.cancelRenewal(of: "bob")
        try await shop.advance(to: "2026-03-02")
        try await shop.buy("pro", by: "cat")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-05  ann  PRICE_INCREASE ACCEPTED         status 1  next 5.99
            2026-01-05  bob  PRICE_INCREASE ACCEPTED         status 1  next 5.99
            2026-01-10  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-01  ann  DID_RENEW                       status 1  paid until 2026-03-01 at 5.99, again
            2026-02-01  bob  EXPIRED VOLUNTARY               status 2
            2026-03-01  ann  DID_RENEW                       status 1  paid until 2026-04-01 at 5.99, again
            2026-03-02  cat  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-04-02 at 5.99, again
            """
        )
    }

    @Test(
        "An increase needs consent only if it is over fifty percent and also over five dollars",
        arguments: BackendKind.all
    )
    func limits(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("cheap", at: 4_990, group: "1"), .plan("dear", at: 19_990, group: "2")]
        )
        try await shop.buy("cheap", by: "ann")
        try await shop.buy("dear", by: "ann")
        // The first price rises by exactly five dollars, and the second by exactly fifty percent.
        try await shop.raisePrice(of: "cheap", to: 9_990)
        try await shop.raisePrice(of: "dear", to: 29_985)
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  cheap, paid until 2026-02-01
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  dear, paid until 2026-02-01
            2026-01-05  PRICE_INCREASE ACCEPTED  status 1  cheap, next 9.99
            2026-01-05  PRICE_INCREASE ACCEPTED  status 1  dear, next 29.98
            2026-02-01  DID_RENEW                status 1  cheap, paid until 2026-03-01 at 9.99, again
            2026-02-01  DID_RENEW                status 1  dear, paid until 2026-03-01 at 29.98, again
            """
        )
    }

    @Test(
        "A yearly price that rises by over fifty dollars needs consent, and is notified sixty days ahead",
        arguments: BackendKind.all
    )
    func yearly(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("gold", each: .year, at: 49_990, group: "1"), .plan("tin", each: .year, at: 19_990, group: "2"),
            ]
        )
        try await shop.buy("gold", by: "ann")
        try await shop.buy("tin", by: "ann")
        try await shop.raisePrice(of: "gold", to: 109_990)
        try await shop.raisePrice(of: "tin", to: 59_990)
        try await shop.advance(to: "2027-01-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  gold, paid until 2027-01-01
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  tin, paid until 2027-01-01
            2026-11-02  PRICE_INCREASE PENDING   status 1  gold, next 109.99
            2026-12-05  PRICE_INCREASE ACCEPTED  status 1  tin, next 59.99
            2027-01-01  DID_RENEW                status 1  tin, paid until 2028-01-01 at 59.99, again
            2027-01-01  EXPIRED PRICE_INCREASE   status 2  gold
            """
        )
    }

    @Test("A weekly subscriber is asked for consent one week ahead", arguments: BackendKind.all)
    func weeklyConsent(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(each: .week)])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-03")
        try await shop.raisePrice(of: "pro", to: 5_990, consent: .required)
        try await shop.advance(to: "2026-01-23")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-01-08
            2026-01-08  DID_RENEW               status 1  paid until 2026-01-15
            2026-01-08  PRICE_INCREASE PENDING  status 1  next 5.99
            2026-01-15  EXPIRED PRICE_INCREASE  status 2
            """
        )
    }

    @Test("A weekly price increase without consent applies at the fourth renewal", arguments: BackendKind.all)
    func weeklyNotice(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(each: .week)])
        try await shop.buy("pro", by: "ann")
        try await shop.raisePrice(of: "pro", to: 5_990)
        try await shop.advance(to: "2026-02-06")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  paid until 2026-01-08
            2026-01-01  PRICE_INCREASE ACCEPTED  status 1
            2026-01-08  DID_RENEW                status 1  paid until 2026-01-15
            2026-01-15  DID_RENEW                status 1  paid until 2026-01-22
            2026-01-22  DID_RENEW                status 1  paid until 2026-01-29, next 5.99
            2026-01-29  DID_RENEW                status 1  paid until 2026-02-05 at 5.99, again
            2026-02-05  DID_RENEW                status 1  paid until 2026-02-12 at 5.99, again
            """
        )
    }

    @Test(
        "An increase that comes too late for one renewal is notified before the next renewal",
        arguments: BackendKind.all
    )
    func late(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-20")
        try await shop.raisePrice(of: "pro", to: 5_990)
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  paid until 2026-02-01
            2026-02-01  DID_RENEW                status 1  paid until 2026-03-01
            2026-02-02  PRICE_INCREASE ACCEPTED  status 1  next 5.99
            2026-03-01  DID_RENEW                status 1  paid until 2026-04-01 at 5.99, again
            """
        )
    }

    @Test("A subscriber keeps a preserved price until the subscription ends", arguments: BackendKind.all)
    func preserved(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.raisePrice(of: "pro", to: 5_990, preserving: true)
        try await shop.buy("pro", by: "bob")
        try await shop.advance(to: "2026-02-05")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-03-05")
        try await shop.buy("pro", by: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01 at 5.99, again
            2026-02-01  ann  DID_RENEW                       status 1  paid until 2026-03-01
            2026-02-01  bob  DID_RENEW                       status 1  paid until 2026-03-01 at 5.99, again
            2026-02-05  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-03-01  ann  EXPIRED VOLUNTARY               status 2
            2026-03-01  bob  DID_RENEW                       status 1  paid until 2026-04-01 at 5.99, again
            2026-03-05  ann  SUBSCRIBED RESUBSCRIBE          status 1  paid until 2026-04-05 at 5.99, again
            """
        )
    }

    @Test("A lower price applies from the next renewal, without a notification", arguments: BackendKind.all)
    func decrease(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.lowerPrice(of: "pro", to: 3_990)
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-02-01  DID_RENEW               status 1  paid until 2026-03-01 at 3.99, again
            2026-03-01  DID_RENEW               status 1  paid until 2026-04-01 at 3.99, again
            """
        )
    }

    @Test("A second increase within a year needs consent; a later increase does not", arguments: BackendKind.all)
    func second(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.raisePrice(of: "pro", to: 5_490)
        try await shop.advance(to: "2026-11-20")
        try await shop.raisePrice(of: "pro", to: 5_990)
        try await shop.advance(to: "2026-12-10")
        try await shop.acceptPriceIncrease(of: "ann")
        try await shop.advance(to: "2028-01-02")
        try await shop.raisePrice(of: "pro", to: 6_490)
        try await shop.advance(to: "2028-03-02")
        let received = try await shop.wire.received().filter { $0.type == "PRICE_INCREASE" }
        #expect(
            received.map(\.words) == [
                "PRICE_INCREASE ACCEPTED", "PRICE_INCREASE PENDING", "PRICE_INCREASE ACCEPTED",
                "PRICE_INCREASE ACCEPTED",
            ]
        )
        #expect(try await shop.transaction(of: "ann", nil).price == 6_490)
    }

    @Test("Every increase needs consent in a storefront whose law requires it", arguments: BackendKind.all)
    func law(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()]) {
            $0.storefrontsAskingConsent = ["KOR"]
        }
        try await shop.open("kim", in: "KOR")
        for customer in ["ann", "kim"] { try await shop.buy("pro", by: customer) }
        try await shop.raisePrice(of: "pro", to: 5_490)
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY   status 1  paid until 2026-02-01
            2026-01-01  kim  SUBSCRIBED INITIAL_BUY   status 1  paid until 2026-02-01
            2026-01-05  ann  PRICE_INCREASE ACCEPTED  status 1  next 5.49
            2026-01-05  kim  PRICE_INCREASE PENDING   status 1  next 5.49
            2026-02-01  ann  DID_RENEW                status 1  paid until 2026-03-01 at 5.49, again
            2026-02-01  kim  EXPIRED PRICE_INCREASE   status 2
            """
        )
    }

    @Test("A plan change removes the pending price increase", arguments: BackendKind.all)
    func left(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top"), .plan("low", level: 2, at: 1_990)]
        )
        try await shop.buy("top", by: "ann")
        try await shop.raisePrice(of: "top", to: 12_990)
        try await shop.advance(to: "2026-01-10")
        #expect(try await shop.own("ann").renewalInfo.priceIncreaseStatus == 0)
        try await shop.changePlan(of: "ann", to: "low")
        #expect(try await shop.own("ann").renewalInfo.priceIncreaseStatus == nil)
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  top, paid until 2026-02-01
            2026-01-05  PRICE_INCREASE PENDING           status 1  top, next 12.99
            2026-01-10  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-02-01  DID_RENEW                        status 1  low, paid until 2026-03-01
            """
        )
    }

    @Test("A trial can renew at a higher price if the customer was notified in time", arguments: BackendKind.all)
    func afterTrial(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(offers: .free(.introductory))])
        try await shop.buy("pro", by: "ann")
        try await shop.raisePrice(of: "pro", to: 5_990)
        try await shop.advance(to: "2026-02-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY   status 1  trial until 2026-02-01
            2026-01-05  PRICE_INCREASE ACCEPTED  status 1  next 5.99
            2026-02-01  DID_RENEW                status 1  paid until 2026-03-01 at 5.99, again
            """
        )
    }

    @Test(
        "A customer with a pending downgrade is not asked for consent until the downgrade is withdrawn",
        arguments: BackendKind.all
    )
    func chosen(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top"), .plan("low", level: 2, at: 1_990)]
        )
        try await shop.buy("top", by: "ann")
        try await shop.changePlan(of: "ann", to: "low")
        try await shop.raisePrice(of: "top", to: 12_990)
        try await shop.advance(to: "2026-01-20")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  top, paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-01-20  DID_CHANGE_RENEWAL_PREF          status 1  top
            2026-02-01  DID_RENEW                        status 1  top, paid until 2026-03-01
            2026-02-02  PRICE_INCREASE PENDING           status 1  top, next 12.99
            2026-03-01  EXPIRED PRICE_INCREASE           status 2  top
            """
        )
    }

    @Test(
        "Disabled auto-renew, a refund or a grace period never shortens the time between notice and increase",
        arguments: BackendKind.all
    )
    func neverShort(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(), .plan("radio", group: "21000000")],
            grace: GracePeriod(days: 16)
        )
        for (customer, product) in [("ann", "pro"), ("bob", "pro"), ("cat", "radio")] {
            try await shop.buy(product, by: customer)
        }
        try await shop.raisePrice(of: "pro", to: 5_990)
        try await shop.advance(to: "2026-01-02")
        try await shop.cancelRenewal(of: "ann")
        try await shop.grantRefund(to: "bob")
        try await shop.advance(to: "2026-01-10")
        try await shop.raisePrice(of: "radio", to: 5_990)
        try await shop.declineCard(of: "cat")
        try await shop.advance(to: "2026-01-30")
        try await shop.resumeRenewal(of: "ann")
        try await shop.reverseRefund(to: "bob")
        try await shop.advance(to: "2026-02-10")
        try await shop.acceptCard(of: "cat")
        try await shop.advance(to: "2026-04-02")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  pro, paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  pro, paid until 2026-02-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY          status 1  radio, paid until 2026-02-01
            2026-01-02  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  pro
            2026-01-02  bob  REFUND                          status 5  pro, REFUND_FULL
            2026-01-30  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1  pro
            2026-01-30  bob  REFUND_REVERSED                 status 1  pro
            2026-02-01  ann  DID_RENEW                       status 1  pro, paid until 2026-03-01
            2026-02-01  bob  DID_RENEW                       status 1  pro, paid until 2026-03-01
            2026-02-01  cat  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  radio, grace until 2026-02-17
            2026-02-02  ann  PRICE_INCREASE ACCEPTED         status 1  pro, next 5.99
            2026-02-02  bob  PRICE_INCREASE ACCEPTED         status 1  pro, next 5.99
            2026-02-10  cat  DID_RENEW BILLING_RECOVERY      status 1  radio, paid 2026-02-01 to 2026-03-01
            2026-03-01  ann  DID_RENEW                       status 1  pro, paid until 2026-04-01 at 5.99, again
            2026-03-01  bob  DID_RENEW                       status 1  pro, paid until 2026-04-01 at 5.99, again
            2026-03-01  cat  DID_RENEW                       status 1  radio, paid until 2026-04-01
            2026-03-05  cat  PRICE_INCREASE ACCEPTED         status 1  radio, next 5.99
            2026-04-01  ann  DID_RENEW                       status 1  pro, paid until 2026-05-01 at 5.99, again
            2026-04-01  bob  DID_RENEW                       status 1  pro, paid until 2026-05-01 at 5.99, again
            2026-04-01  cat  DID_RENEW                       status 1  radio, paid until 2026-05-01 at 5.99, again
            """
        )
    }
}
