import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    /// Checks the status of a subscription: the latest transaction determines it and, for a family member, the
    /// purchaser's subscription.
    @Suite("The latest transaction determines the status of a subscription")
    struct States {}
}

extension Scenarios.States {
    private static let plans: [Product] = [
        .plan("mid", level: 2), .plan("top", level: 1, at: 9_990), .plan("low", level: 3, at: 1_990),
    ]

    private func production(_ backend: BackendKind, selling products: [Product] = plans) async throws -> Scenario {
        try await Scenario(at: backend, on: "2026-01-10", in: .production, selling: products)
    }

    // MARK: The day after a renewal was charged in production

    @Test(
        "An upgrade after a refund of the current period replaces the next period, which is already paid",
        arguments: BackendKind.everywhere
    )
    func refundThenUpgrade(at backend: BackendKind) async throws {
        let shop = try await production(backend)
        try await shop.buy("mid", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.grantRefund(to: "ann", of: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "top")
        try await shop.advance(to: "2026-03-01")
        try await shop.expectNotifications(
            """
            2026-01-10        SUBSCRIBED INITIAL_BUY          status 1  mid, paid until 2026-02-10
            2026-02-09        DID_RENEW                       status 1  mid, paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  REFUND                          status 1  mid, REFUND_FULL, of 2026-01-10
            2026-02-09 20:00  DID_CHANGE_RENEWAL_PREF UPGRADE  status 1  top, paid until 2026-03-09 19:00
            """
        )
        let history = try await shop.wire.history(of: "ann")
        #expect(history.filter { $0.isUpgraded == true }.map(\.purchaseDate) == [shop.instant("2026-02-10")])
    }

    @Test(
        "A refund of the current period leaves the status unchanged if the next period is paid",
        arguments: BackendKind.everywhere
    )
    func refundOfRunning(at backend: BackendKind) async throws {
        let shop = try await production(backend)
        try await shop.buy("mid", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.grantRefund(to: "ann", of: "2026-01-10")
        try await shop.changePlan(of: "ann", to: "low")
        #expect(try await shop.own("ann").status == 1)
        try await shop.advance(to: "2026-03-20")
        try await shop.expectNotifications(
            """
            2026-01-10        SUBSCRIBED INITIAL_BUY          status 1  mid, paid until 2026-02-10
            2026-02-09        DID_RENEW                       status 1  mid, paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  REFUND                          status 1  mid, REFUND_FULL, of 2026-01-10
            2026-02-09 20:00  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  mid, then low
            2026-03-09        DID_RENEW                       status 1  low, paid 2026-03-10 to 2026-04-10
            """
        )
    }

    @Test(
        "A refund of the paid next period sets the status to 5 at once, until the refund is reversed",
        arguments: BackendKind.everywhere
    )
    func refundOfPaidAhead(at backend: BackendKind) async throws {
        let shop = try await production(backend)
        try await shop.buy("mid", by: "ann")
        try await shop.buy("mid", by: "bob")
        try await shop.advance(to: "2026-02-09 20:00")
        for customer in ["ann", "bob"] { try await shop.grantRefund(to: customer, of: "2026-02-10") }
        let sold = try await shop.own("ann")
        #expect(sold.status == 5 && sold.transaction.purchaseDate == shop.instant("2026-02-10"))
        try await shop.changePlan(of: "bob", to: "mid")
        try await shop.advance(to: "2026-02-12")
        try await shop.reverseRefund(to: "ann", of: "2026-02-10")
        try await shop.advance(to: "2026-03-01")
        try await shop.expectNotifications(
            """
            2026-01-10        ann  SUBSCRIBED INITIAL_BUY  status 1  mid, paid until 2026-02-10
            2026-01-10        bob  SUBSCRIBED INITIAL_BUY  status 1  mid, paid until 2026-02-10
            2026-02-09        ann  DID_RENEW               status 1  mid, paid 2026-02-10 to 2026-03-10
            2026-02-09        bob  DID_RENEW               status 1  mid, paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  ann  REFUND                  status 5  mid, REFUND_FULL
            2026-02-09 20:00  bob  REFUND                  status 5  mid, REFUND_FULL
            2026-02-09 20:00  bob  SUBSCRIBED RESUBSCRIBE  status 1  mid, paid until 2026-03-09 19:00
            2026-02-12        ann  REFUND_REVERSED         status 1  mid
            """
        )
        // The new purchase ended the current period.
        let history = try await shop.wire.history(of: "bob")
        #expect(history.filter { $0.isUpgraded == true }.map(\.purchaseDate) == [shop.instant("2026-01-10")])
    }

    // MARK: Families

    @Test(
        "A member who loses access after the charge is notified of the current and the next transaction",
        arguments: BackendKind.everywhere
    )
    func sharingEndsAhead(at backend: BackendKind) async throws {
        let shop = try await production(backend, selling: [.plan(isShared: true)])
        try await shop.join("bob", familyOf: "ann")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.leaveFamily("bob")
        let lost = try await shop.shared("bob")
        #expect(lost.status == 5 && lost.transaction.purchaseDate == shop.instant("2026-02-10"))
        try await shop.expectNotifications(
            """
            2026-01-10        ann  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-01-10        bob  SUBSCRIBED INITIAL_BUY  status 1  shared until 2026-02-10
            2026-02-09        ann  DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-02-09        bob  DID_RENEW               status 1  shared 2026-02-10 to 2026-03-10
            2026-02-09 20:00  bob  REVOKE                  status 5  FAMILY_REVOKE, of 2026-01-10
            2026-02-09 20:00  bob  REVOKE                  status 5  FAMILY_REVOKE
            """
        )
    }

    @Test(
        "Members are notified of a reversed refund of a subscription and of a product",
        arguments: BackendKind.everywhere
    )
    func reversal(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(isShared: true), .skin.shared]
        )
        try await shop.join("bob", familyOf: "ann")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-02")
        try await shop.buy("skin", by: "ann")
        for day in ["2026-01-01", "2026-01-02"] { try await shop.grantRefund(to: "ann", of: day) }
        try await shop.advance(to: "2026-01-10")
        for day in ["2026-01-01", "2026-01-02"] { try await shop.reverseRefund(to: "ann", of: day) }
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY  status 1  pro, paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY  status 1  pro, shared until 2026-02-01
            2026-01-02  ann  ONE_TIME_CHARGE                   skin
            2026-01-02  ann  REFUND                  status 5  pro, REFUND_FULL
            2026-01-02  ann  REFUND                            skin, REFUND_FULL
            2026-01-02  bob  ONE_TIME_CHARGE                   skin, shared
            2026-01-02  bob  REVOKE                  status 5  pro, FAMILY_REVOKE
            2026-01-02  bob  REVOKE                            skin, FAMILY_REVOKE
            2026-01-10  ann  REFUND_REVERSED         status 1  pro
            2026-01-10  ann  REFUND_REVERSED                   skin
            2026-01-10  bob  REFUND_REVERSED         status 1  pro
            2026-01-10  bob  REFUND_REVERSED                   skin
            """
        )
    }

    @Test(
        "Without extraFamilyNotifications, members get only the notifications that Apple lists",
        arguments: BackendKind.everywhere
    )
    func listedOnly(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(isShared: true)],
            grace: GracePeriod(days: 3)
        ) { $0.extraFamilyNotifications = false }
        try await shop.join("bob", familyOf: "ann")
        try await shop.buy("pro", by: "ann")
        try await shop.extendRenewal(of: "ann", days: 1, request: "a")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        #expect(try await shop.shared("bob").status == 3)
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  ann  RENEWAL_EXTENDED                status 1  until 2026-02-02
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  shared until 2026-02-01
            2026-02-02  ann  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-05
            2026-02-02  bob  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-05
            2026-02-05  ann  GRACE_PERIOD_EXPIRED            status 3
            """
        )
    }

    @Test(
        "A member's shared transaction has the commitment of the purchase, without prices",
        arguments: BackendKind.everywhere
    )
    func sharedCommitment(at backend: BackendKind) async throws {
        let year = Product.plan("year", each: .year, at: 99_990, isShared: true, monthlyAt: 9_990)
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [year])
        try await shop.join("bob", familyOf: "ann")
        try await shop.buy("year", by: "ann", monthly: true)
        try await shop.advance(to: "2026-01-10")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-02-02")
        let copy = try await shop.shared("bob")
        #expect(
            copy.transaction.billingPlanType == "MONTHLY" && copy.transaction.commitmentInfo?.billingPeriodNumber == 2
        )
        #expect(copy.transaction.commitmentInfo?.commitmentPrice == nil && copy.transaction.price == nil)
        let info = copy.renewalInfo
        #expect(info.renewalBillingPlanType == "MONTHLY" && info.autoRenewStatus == 1)
        #expect(info.commitmentInfo?.commitmentAutoRenewStatus == 0)
        #expect(info.commitmentInfo?.commitmentRenewalPrice == nil && info.renewalPrice == nil)
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY  status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY  status 1  until 2026-02-01, 1/12 to 2027-01-01
            2026-01-10  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  bound until 2027-01-01
            2026-01-10  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1  bound until 2027-01-01
            2026-02-01  ann  DID_RENEW               status 1  until 2026-03-01, 2/12 to 2027-01-01, then ends
            2026-02-01  bob  DID_RENEW               status 1  until 2026-03-01, 2/12 to 2027-01-01, then ends
            """
        )
    }

    // MARK: Behaviour that Apple does not document

    @Test(
        "A refund that is reversed after a new purchase restores only the replaced transaction",
        arguments: BackendKind.everywhere
    )
    func reversalAfterPurchase(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-05")
        try await shop.grantRefund(to: "ann")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.reverseRefund(to: "ann", of: "2026-01-01")
        #expect(try await shop.own("ann").transaction.purchaseDate == shop.instant("2026-01-05"))
        let old = try await shop.transaction(of: "ann", "2026-01-01")
        #expect(old.revocationDate == nil && old.isUpgraded == true)
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-01-05  REFUND                  status 5  REFUND_FULL
            2026-01-05  SUBSCRIBED RESUBSCRIBE  status 1  paid until 2026-02-05
            2026-01-10  REFUND_REVERSED         status 1  of 2026-01-01
            """
        )
    }

    @Test("A customer who chooses the pending plan again is notified again", arguments: BackendKind.everywhere)
    func samePendingPlan(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: Self.plans)
        try await shop.buy("top", by: "ann")
        for day in ["2026-01-05", "2026-01-06"] {
            try await shop.advance(to: day)
            try await shop.changePlan(of: "ann", to: "low")
        }
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY             status 1  top, paid until 2026-02-01
            2026-01-05  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-01-06  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            """
        )
    }

    @Test(
        "A customer who buys the current or the pending plan during grace pays the renewal for that plan",
        arguments: BackendKind.everywhere
    )
    func sameInGrace(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: Self.plans, grace: GracePeriod(days: 16))
        for customer in ["ann", "bob"] {
            try await shop.buy("top", by: customer)
            try await shop.changePlan(of: customer, to: "low")
            try await shop.declineCard(of: customer)
        }
        try await shop.advance(to: "2026-02-05")
        try await shop.buy("top", by: "ann")
        try await shop.buy("low", by: "bob")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY             status 1  top, paid until 2026-02-01
            2026-01-01  ann  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY             status 1  top, paid until 2026-02-01
            2026-01-01  bob  DID_CHANGE_RENEWAL_PREF DOWNGRADE  status 1  top, then low
            2026-02-01  ann  DID_FAIL_TO_RENEW GRACE_PERIOD     status 4  top, grace until 2026-02-17, then low
            2026-02-01  bob  DID_FAIL_TO_RENEW GRACE_PERIOD     status 4  top, grace until 2026-02-17, then low
            2026-02-05  ann  DID_RENEW BILLING_RECOVERY         status 1  top, paid 2026-02-01 to 2026-03-01
            2026-02-05  bob  DID_RENEW BILLING_RECOVERY         status 1  low, paid 2026-02-01 to 2026-03-01
            """
        )
    }

    @Test(
        "An extension also moves the renewal date of a period that was paid ahead",
        arguments: BackendKind.everywhere
    )
    func extensionAhead(at backend: BackendKind) async throws {
        let shop = try await production(backend, selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-09 20:00")
        try await shop.extendRenewal(of: "ann", days: 5, request: "a")
        try await shop.advance(to: "2026-03-20")
        try await shop.expectNotifications(
            """
            2026-01-10        SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-10
            2026-02-09        DID_RENEW               status 1  paid 2026-02-10 to 2026-03-10
            2026-02-09 20:00  RENEWAL_EXTENDED        status 1  until 2026-03-15
            2026-03-14        DID_RENEW               status 1  paid 2026-03-15 to 2026-04-15
            """
        )
    }
}
