import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    @Suite("The twelve acceptance scenarios")
    struct Acceptance {}
}

extension Scenarios.Acceptance {
    @Test(
        "A1: in the sandbox, a subscription renews twelve times after a trial and then ends",
        arguments: BackendKind.everywhere
    )
    func sandboxYear(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .freeWeek)],
            rate: .sandbox5Minutes
        ) { $0.renewalCap = 12 }
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-02")
        try await shop.expectNotifications(
            """
            2026-01-01        SUBSCRIBED INITIAL_BUY          status 1  trial until 12:03
            2026-01-01 12:03  DID_RENEW                       status 1  paid until 12:08
            2026-01-01 12:08  DID_RENEW                       status 1  paid until 12:13
            2026-01-01 12:13  DID_RENEW                       status 1  paid until 12:18
            2026-01-01 12:18  DID_RENEW                       status 1  paid until 12:23
            2026-01-01 12:23  DID_RENEW                       status 1  paid until 12:28
            2026-01-01 12:28  DID_RENEW                       status 1  paid until 12:33
            2026-01-01 12:33  DID_RENEW                       status 1  paid until 12:38
            2026-01-01 12:38  DID_RENEW                       status 1  paid until 12:43
            2026-01-01 12:43  DID_RENEW                       status 1  paid until 12:48
            2026-01-01 12:48  DID_RENEW                       status 1  paid until 12:53
            2026-01-01 12:53  DID_RENEW                       status 1  paid until 12:58
            2026-01-01 12:58  DID_RENEW                       status 1  paid until 13:03
            2026-01-01 13:03  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 2
            2026-01-01 13:03  EXPIRED VOLUNTARY               status 2
            """
        )
    }

    @Test(
        "A2: an upgrade begins at once and sends one notification, and the customer gets no refund",
        arguments: BackendKind.everywhere
    )
    func upgrade(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("basic", level: 2), .plan("top", level: 1, each: .year, at: 39_990)]
        )
        try await shop.buy("basic", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-06-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  basic, paid until 2026-02-01
            2026-01-10  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2027-01-10
            """
        )
        let history = try await shop.wire.history(of: "ann")
        #expect(history.map(\.isUpgraded) == [true, nil])
        #expect(history[0].revocationDate == nil && history[0].expiresDate == shop.instant("2026-02-01"))
    }

    @Test(
        "A3: a customer chooses a downgrade, withdraws it and chooses it again; it begins with the next period",
        arguments: BackendKind.everywhere
    )
    func downgrade(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("top"), .plan("basic", level: 2, at: 1_990)]
        )
        try await shop.buy("top", by: "ann")
        try await shop.advance(to: "2026-01-05")
        try await shop.changePlan(of: "ann", to: "basic")
        try await shop.advance(to: "2026-01-06")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-01-07")
        try await shop.changePlan(of: "ann", to: "basic")
        try await shop.advance(to: "2026-02-15")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  top, paid until 2026-02-01
            2026-01-05  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then basic
            2026-01-06  DID_CHANGE_RENEWAL_PREF          status 1  top
            2026-01-07  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then basic
            2026-02-01  DID_RENEW                        status 1  basic, paid until 2026-03-01
            """
        )
        #expect(try await shop.transaction(of: "ann", nil).transactionReason == "RENEWAL")
    }

    @Test(
        "A4: a customer cancels, resumes, cancels again and lapses, and returns with a win-back offer",
        arguments: BackendKind.everywhere
    )
    func winBack(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(offers: .payUpFront(.winBack, "back", for: .month, at: 990))]
        )
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-05")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-01-06")
        try await shop.resumeRenewal(of: "ann")
        try await shop.advance(to: "2026-01-07")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.buy("pro", by: "ann", offer: .winBack("back"))
        try await shop.advance(to: "2026-03-15")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-05  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-06  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1
            2026-01-07  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-01  EXPIRED VOLUNTARY               status 2
            2026-02-10  SUBSCRIBED RESUBSCRIBE          status 1  paid until 2026-03-10 at 0.99 by win-back back
            2026-03-10  DID_RENEW                       status 1  paid until 2026-04-10
            """
        )
    }

    @Test("A5: a billing recovery within the grace period keeps the billing date", arguments: BackendKind.everywhere)
    func graceRecovered(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-10  DID_RENEW BILLING_RECOVERY      status 1  paid 2026-02-01 to 2026-03-01
            2026-03-01  DID_RENEW                       status 1  paid until 2026-04-01
            """
        )
    }

    @Test(
        "A6: a recovery after the grace period moves the billing date; without recovery the subscription ends",
        arguments: BackendKind.everywhere
    )
    func graceOver(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        for customer in ["ann", "bob"] {
            try await shop.buy("pro", by: customer)
            try await shop.declineCard(of: customer)
        }
        // 3 March is thirty days after the end of the period.
        try await shop.advance(to: "2026-03-03")
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-04-30")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  ann  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-01  bob  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-17  ann  GRACE_PERIOD_EXPIRED            status 3
            2026-02-17  bob  GRACE_PERIOD_EXPIRED            status 3
            2026-03-03  ann  DID_RENEW BILLING_RECOVERY      status 1  paid until 2026-04-03
            2026-04-02  bob  EXPIRED BILLING_RETRY           status 2
            2026-04-03  ann  DID_RENEW                       status 1  paid until 2026-05-03
            """
        )
        let bob = try await shop.own("bob").renewalInfo
        #expect(bob.expirationIntent == 2 && bob.autoRenewStatus == 0 && bob.isInBillingRetryPeriod == false)
    }

    @Test(
        "A7: three customers consent to a price increase, do not answer, or cancel",
        arguments: BackendKind.everywhere
    )
    func consent(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        for customer in ["ann", "bob", "cat"] { try await shop.buy("pro", by: customer) }
        try await shop.advance(to: "2026-01-02")
        // The increase is more than half of the price, and more than five dollars a month.
        try await shop.raisePrice(of: "pro", to: 12_990)
        try await shop.advance(to: "2026-01-10")
        try await shop.acceptPriceIncrease(of: "ann")
        try await shop.cancelRenewal(of: "cat")
        try await shop.advance(to: "2026-03-02")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-05  ann  PRICE_INCREASE PENDING          status 1  next 12.99
            2026-01-05  bob  PRICE_INCREASE PENDING          status 1  next 12.99
            2026-01-05  cat  PRICE_INCREASE PENDING          status 1  next 12.99
            2026-01-10  ann  PRICE_INCREASE ACCEPTED         status 1  next 12.99
            2026-01-10  cat  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-01  ann  DID_RENEW                       status 1  paid until 2026-03-01 at 12.99, again
            2026-02-01  bob  EXPIRED PRICE_INCREASE          status 2
            2026-02-01  cat  EXPIRED VOLUNTARY               status 2
            2026-03-01  ann  DID_RENEW                       status 1  paid until 2026-04-01 at 12.99, again
            """
        )
    }

    @Test(
        "A8: the store refunds half of a purchase and reverses the refund; it declines a second request",
        arguments: BackendKind.everywhere
    )
    func coins(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.coins])
        try await shop.buy("coins", by: "ann", quantity: 3)
        try await shop.advance(to: "2026-01-02")
        try await shop.requestRefund(by: "ann", because: .unsatisfiedWithPurchase)
        try await shop.advance(to: "2026-01-02 13:00")
        try await shop.sendConsumption(about: "ann", preferring: .grantProrated, consumed: 50_000)
        try await shop.advance(to: "2026-01-05")
        try await shop.reverseRefund(to: "ann")
        try await shop.advance(to: "2026-01-06")
        try await shop.requestRefund(by: "ann", because: .other)
        try await shop.sendConsumption(about: "ann", preferring: .decline)
        try await shop.advance(to: "2026-01-10")
        try await shop.expectNotifications(
            """
            2026-01-01        ONE_TIME_CHARGE        3 pieces
            2026-01-02        CONSUMPTION_REQUEST    UNSATISFIED_WITH_PURCHASE
            2026-01-03 00:00  REFUND                 REFUND_PRORATED, 50.0%
            2026-01-05        REFUND_REVERSED
            2026-01-06        CONSUMPTION_REQUEST    OTHER
            2026-01-07 00:00  REFUND_DECLINED
            """
        )
        #expect(try await shop.transaction(of: "ann", nil).price == 2_970)
    }

    @Test(
        "A9: a renewal or refund of the purchaser's subscription changes the family's access, too",
        arguments: BackendKind.everywhere
    )
    func family(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(isShared: true)])
        try await shop.join("bob", familyOf: "ann")
        try await shop.join("cat", familyOf: "ann")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-05")
        try await shop.grantRefund(to: "ann", because: .issueInApp)
        try await shop.advance(to: "2026-06-01")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY  status 1  shared until 2026-02-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY  status 1  shared until 2026-02-01
            2026-02-01  ann  DID_RENEW               status 1  paid until 2026-03-01
            2026-02-01  bob  DID_RENEW               status 1  shared until 2026-03-01
            2026-02-01  cat  DID_RENEW               status 1  shared until 2026-03-01
            2026-02-05  ann  REFUND                  status 5  REFUND_FULL, issue in the app
            2026-02-05  bob  REVOKE                  status 5  FAMILY_REVOKE, issue in the app
            2026-02-05  cat  REVOKE                  status 5  FAMILY_REVOKE, issue in the app
            """
        )
    }

    @Test(
        "A10: a mass extension follows a single extension; a trial is not eligible for it",
        arguments: BackendKind.everywhere
    )
    func extensions(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan(offers: .freeWeek)])
        try await shop.buy("pro", by: "ann")
        try await shop.buy("pro", by: "bob", offer: .none)
        try await shop.advance(to: "2026-01-10")
        try await shop.extendRenewal(of: "ann", days: 30, request: "one")
        try await shop.advance(to: "2026-01-12")
        try await shop.buy("pro", by: "cat")
        try await shop.extendAllRenewals(of: "pro", days: 7, request: "0f6f6e3c-6d3e-4a58-9b1d-6f0f7a0f5a11")
        try await shop.advance(to: "2026-02-01")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY     status 1  trial until 2026-01-08
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY     status 1  paid until 2026-02-01
            2026-01-08  ann  DID_RENEW                  status 1  paid until 2026-02-08
            2026-01-10  ann  RENEWAL_EXTENDED           status 1  until 2026-03-10
            2026-01-12  ann  RENEWAL_EXTENDED           status 1  until 2026-03-17
            2026-01-12  bob  RENEWAL_EXTENDED           status 1  until 2026-02-08
            2026-01-12  cat  SUBSCRIBED INITIAL_BUY     status 1  trial until 2026-01-19
            2026-01-12  cat  RENEWAL_EXTENSION FAILURE  status 1
            2026-01-19  cat  DID_RENEW                  status 1  paid until 2026-02-19
            """
        )
    }

    @Test(
        "A11: a customer who cancels a commitment in the third month pays it to its end",
        arguments: BackendKind.everywhere
    )
    func commitment(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan("year", each: .year, at: 99_990, monthlyAt: 9_990)]
        )
        try await shop.buy("year", by: "ann", monthly: true)
        try await shop.advance(to: "2026-03-10")
        try await shop.cancelRenewal(of: "ann")
        let info = try await shop.own("ann").renewalInfo
        #expect(info.autoRenewStatus == 1 && info.commitmentInfo?.commitmentAutoRenewStatus == 0)
        try await shop.advance(to: "2027-02-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-02-01  DID_RENEW                       status 1  until 2026-03-01, 2/12 to 2027-01-01
            2026-03-01  DID_RENEW                       status 1  until 2026-04-01, 3/12 to 2027-01-01
            2026-03-10  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  bound until 2027-01-01
            2026-04-01  DID_RENEW                       status 1  until 2026-05-01, 4/12 to 2027-01-01, then ends
            2026-05-01  DID_RENEW                       status 1  until 2026-06-01, 5/12 to 2027-01-01, then ends
            2026-06-01  DID_RENEW                       status 1  until 2026-07-01, 6/12 to 2027-01-01, then ends
            2026-07-01  DID_RENEW                       status 1  until 2026-08-01, 7/12 to 2027-01-01, then ends
            2026-08-01  DID_RENEW                       status 1  until 2026-09-01, 8/12 to 2027-01-01, then ends
            2026-09-01  DID_RENEW                       status 1  until 2026-10-01, 9/12 to 2027-01-01, then ends
            2026-10-01  DID_RENEW                       status 1  until 2026-11-01, 10/12 to 2027-01-01, then ends
            2026-11-01  DID_RENEW                       status 1  until 2026-12-01, 11/12 to 2027-01-01, then ends
            2026-12-01  DID_RENEW                       status 1  until 2027-01-01, 12/12 to 2027-01-01, then ends
            2027-01-01  EXPIRED VOLUNTARY               status 2
            """
        )
    }

    @Test(
        "A12: an offer code applies from the next period; an upgrade with a promotional offer begins at once",
        arguments: BackendKind.everywhere
    )
    func offers(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [
                .plan("basic", level: 2, offers: .payUpFront(.code, "SPRING", for: .month, at: 990)),
                .plan("top", at: 9_990, offers: .payUpFront(.promotional, "stay", for: Period(2, .month), at: 5_990)),
            ]
        )
        try await shop.buy("basic", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.buy("basic", by: "ann", offer: .code("SPRING"))
        try await shop.advance(to: "2026-02-10")
        try await shop.changePlan(of: "ann", to: "top", offer: .promotional("stay"))
        try await shop.advance(to: "2026-05-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  basic, paid until 2026-02-01
            2026-01-10  OFFER_REDEEMED          status 1  basic, next 0.99 by code SPRING
            2026-02-01  DID_RENEW               status 1  basic, paid until 2026-03-01 at 0.99 by code SPRING
            2026-02-10  OFFER_REDEEMED UPGRADE  status 1  top, paid until 2026-04-10 at 5.99 by promo stay
            2026-04-10  DID_RENEW               status 1  top, paid until 2026-05-10
            """
        )
    }
}
