import Testing
import TillCore
import TillTestSupport

extension Scenarios {
    /// Covers the rows of the transition table that the acceptance scenarios do not cover.
    @Suite("Every transition of a subscription")
    struct Transitions {}
}

extension Scenarios.Transitions {
    @Test("A customer buys, renews, cancels, resumes and lapses", arguments: BackendKind.all)
    func ordinary(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-31", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-03-01")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-03-02")
        try await shop.expectRefusal("auto_renew_is_off") { try await shop.cancelRenewal(of: "ann") }
        try await shop.resumeRenewal(of: "ann")
        try await shop.expectRefusal("auto_renew_is_on") { try await shop.resumeRenewal(of: "ann") }
        try await shop.advance(to: "2026-04-01")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-06-01")
        try await shop.expectRefusal("not_subscribed") { try await shop.resumeRenewal(of: "ann") }
        try await shop.expectNotifications(
            """
            2026-01-31  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-28
            2026-02-28  DID_RENEW                        status 1  paid until 2026-03-31
            2026-03-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-03-02  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_ENABLED  status 1
            2026-03-31  DID_RENEW                        status 1  paid until 2026-04-30
            2026-04-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-04-30  EXPIRED VOLUNTARY                status 2
            """
        )
    }

    @Test(
        "Without a grace period, a failed renewal ends access; a recovery moves the billing date",
        arguments: BackendKind.all
    )
    func retry(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-20")
        #expect(try await shop.own("ann").status == 3)
        try await shop.acceptCard(of: "ann")
        try await shop.advance(to: "2026-03-21")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW           status 3
            2026-02-20  DID_RENEW BILLING_RECOVERY  status 1  paid until 2026-03-20
            2026-03-20  DID_RENEW                   status 1  paid until 2026-04-20
            """
        )
    }

    @Test("A customer who cancels in grace or billing retry loses access at once", arguments: BackendKind.all)
    func cancelledInBillingRetry(at backend: BackendKind) async throws {
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
        try await shop.advance(to: "2026-02-05")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-02-25")
        try await shop.cancelRenewal(of: "bob")
        try await shop.advance(to: "2026-06-01")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-02-01  ann  DID_FAIL_TO_RENEW GRACE_PERIOD   status 4  grace until 2026-02-17
            2026-02-01  bob  DID_FAIL_TO_RENEW GRACE_PERIOD   status 4  grace until 2026-02-17
            2026-02-05  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 4
            2026-02-05  ann  EXPIRED VOLUNTARY                status 2
            2026-02-17  bob  GRACE_PERIOD_EXPIRED             status 3
            2026-02-25  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 3
            2026-02-25  bob  EXPIRED VOLUNTARY                status 2
            """
        )
    }

    @Test(
        "Buying the same product in billing retry pays the renewal; another product begins a new subscription period",
        arguments: BackendKind.all
    )
    func boughtInRetry(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan(), .plan("other", level: 2, at: 1_990)]
        )
        for customer in ["ann", "bob"] {
            try await shop.buy("pro", by: customer)
            try await shop.declineCard(of: customer)
        }
        try await shop.advance(to: "2026-02-10")
        try await shop.buy("pro", by: "ann")
        try await shop.buy("other", by: "bob")
        try await shop.advance(to: "2026-02-20")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY      status 1  pro, paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY      status 1  pro, paid until 2026-02-01
            2026-02-01  ann  DID_FAIL_TO_RENEW           status 3  pro
            2026-02-01  bob  DID_FAIL_TO_RENEW           status 3  pro
            2026-02-10  ann  DID_RENEW BILLING_RECOVERY  status 1  pro, paid until 2026-03-10
            2026-02-10  bob  SUBSCRIBED RESUBSCRIBE      status 1  other, paid until 2026-03-10
            """
        )
    }

    @Test(
        "A customer who buys the same product in grace pays the renewal and keeps the billing date",
        arguments: BackendKind.all
    )
    func boughtInGrace(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-20")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-10  DID_RENEW BILLING_RECOVERY      status 1  paid 2026-02-01 to 2026-03-01
            """
        )
    }

    @Test(
        "A refund of the current period revokes access without a later EXPIRED; a new purchase restores access",
        arguments: BackendKind.all
    )
    func refund(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.grantRefund(to: "ann")
        try await shop.advance(to: "2026-02-20")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-03-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-01-10  REFUND                  status 5  REFUND_FULL
            2026-02-20  SUBSCRIBED RESUBSCRIBE  status 1  paid until 2026-03-20
            """
        )
    }

    @Test("A refund during the grace period revokes access", arguments: BackendKind.all)
    func refundInGrace(at backend: BackendKind) async throws {
        let shop = try await Scenario(
            at: backend,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        try await shop.buy("pro", by: "ann")
        try await shop.declineCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.grantRefund(to: "ann")
        try await shop.advance(to: "2026-06-01")
        #expect(try await shop.own("ann").status == 5)
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-10  REFUND                          status 5  REFUND_FULL
            """
        )
    }

    @Test(
        "A refund of an earlier period leaves an active or expired subscription unchanged",
        arguments: BackendKind.all
    )
    func olderRefund(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.grantRefund(to: "ann", of: "2026-01-01")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-03-10")
        try await shop.reverseRefund(to: "ann", of: "2026-01-01")
        try await shop.grantRefund(to: "ann", of: "2026-01-01")
        try await shop.advance(to: "2026-06-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-02-01  DID_RENEW                        status 1  paid until 2026-03-01
            2026-02-10  REFUND                           status 1  REFUND_FULL, of 2026-01-01
            2026-02-10  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-03-01  EXPIRED VOLUNTARY                status 2
            2026-03-10  REFUND_REVERSED                  status 2  of 2026-01-01
            2026-03-10  REFUND                           status 2  REFUND_FULL, of 2026-01-01
            """
        )
    }

    @Test(
        "A reversed refund restores a period that has not ended; a period that has ended is expired",
        arguments: BackendKind.all
    )
    func reversal(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        for customer in ["ann", "bob", "cat"] { try await shop.buy("pro", by: customer) }
        try await shop.advance(to: "2026-01-10")
        try await shop.cancelRenewal(of: "cat")
        for customer in ["ann", "bob", "cat"] { try await shop.grantRefund(to: customer) }
        try await shop.advance(to: "2026-01-20")
        try await shop.reverseRefund(to: "ann")
        try await shop.advance(to: "2026-02-20")
        try await shop.reverseRefund(to: "bob")
        try await shop.reverseRefund(to: "cat")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  cat  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-10  ann  REFUND                           status 5  REFUND_FULL
            2026-01-10  bob  REFUND                           status 5  REFUND_FULL
            2026-01-10  cat  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-10  cat  REFUND                           status 5  REFUND_FULL, then ends
            2026-01-20  ann  REFUND_REVERSED                  status 1
            2026-02-01  ann  DID_RENEW                        status 1  paid until 2026-03-01
            2026-02-20  bob  REFUND_REVERSED                  status 2
            2026-02-20  cat  REFUND_REVERSED                  status 2
            """
        )
    }

    @Test("A subscription to a product that was removed from sale ends with its period", arguments: BackendKind.all)
    func removed(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-01-10")
        try await shop.removeFromSale("pro")
        try await shop.expectRefusal("product_not_for_sale") { try await shop.buy("pro", by: "bob") }
        try await shop.advance(to: "2026-03-01")
        try await shop.putOnSale("pro")
        try await shop.buy("pro", by: "ann")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY        status 1  paid until 2026-02-01
            2026-02-01  EXPIRED PRODUCT_NOT_FOR_SALE  status 2
            2026-03-01  SUBSCRIBED RESUBSCRIBE        status 1  paid until 2026-04-01
            """
        )
    }

    @Test(
        "A cancelled subscription expires voluntarily, even if its product is removed from sale later",
        arguments: BackendKind.all
    )
    func removedAndCancelled(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.removeFromSale("pro")
        try await shop.cancelRenewal(of: "ann")
        try await shop.advance(to: "2026-03-01")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-01  EXPIRED VOLUNTARY                status 2
            """
        )
    }

    @Test("A subscription renews if its product is back on sale in time", arguments: BackendKind.all)
    func restored(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        try await shop.buy("pro", by: "ann")
        try await shop.removeFromSale("pro")
        try await shop.advance(to: "2026-01-20")
        try await shop.putOnSale("pro")
        try await shop.advance(to: "2026-02-05")
        try await shop.expectNotifications(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-02-01  DID_RENEW               status 1  paid until 2026-03-01
            """
        )
    }

    @Test(
        "recentSubscriptionStartDate is kept over a gap of up to sixty days and changes after a longer gap",
        arguments: BackendKind.all
    )
    func gaps(at backend: BackendKind) async throws {
        let shop = try await Scenario(at: backend, on: "2026-01-01", selling: [.plan()])
        for customer in ["ann", "bob"] {
            try await shop.buy("pro", by: customer)
            try await shop.cancelRenewal(of: customer)
        }
        // 2 April is sixty days after 1 February; the next purchase is a day later.
        try await shop.advance(to: "2026-04-02")
        try await shop.buy("pro", by: "ann")
        try await shop.advance(to: "2026-04-03")
        try await shop.buy("pro", by: "bob")
        try await shop.expectNotifications(
            """
            2026-01-01  ann  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  ann  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-01-01  bob  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-01-01  bob  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-01  ann  EXPIRED VOLUNTARY               status 2
            2026-02-01  bob  EXPIRED VOLUNTARY               status 2
            2026-04-02  ann  SUBSCRIBED RESUBSCRIBE          status 1  paid until 2026-05-02
            2026-04-03  bob  SUBSCRIBED RESUBSCRIBE          status 1  paid until 2026-05-03, since 2026-04-03
            """
        )
    }
}
