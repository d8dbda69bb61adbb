import Testing
import TillCore

extension Scenarios {
    /// The rows of the table of transitions that the acceptance scenarios do not cover.
    @Suite("Every transition of a subscription")
    struct Transitions {}
}

extension Scenarios.Transitions {
    @Test("Buying, renewing, cancelling, resuming, lapsing", arguments: StageKind.all)
    func ordinary(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-31", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-03-01")
        try await shop.cancels("ann")
        try await shop.advance(to: "2026-03-02")
        try await shop.refuses("auto_renew_is_off") { try await shop.cancels("ann") }
        try await shop.resumes("ann")
        try await shop.refuses("auto_renew_is_on") { try await shop.resumes("ann") }
        try await shop.advance(to: "2026-04-01")
        try await shop.cancels("ann")
        try await shop.advance(to: "2026-06-01")
        try await shop.refuses("not_subscribed") { try await shop.resumes("ann") }
        try await shop.expect(
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

    @Test("Without grace a declined renewal ends access; a recovery begins a new cycle", arguments: StageKind.all)
    func retry(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.declinesCard(of: "ann")
        try await shop.advance(to: "2026-02-20")
        #expect(try await shop.own("ann").status == 3)
        try await shop.acceptsCard(of: "ann")
        try await shop.advance(to: "2026-03-21")
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY      status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW           status 3
            2026-02-20  DID_RENEW BILLING_RECOVERY  status 1  paid until 2026-03-20
            2026-03-20  DID_RENEW                   status 1  paid until 2026-04-20
            """
        )
    }

    @Test("A customer who cancels in grace or in retry loses access at once", arguments: StageKind.all)
    func cancelledInBillingRetry(at stage: StageKind) async throws {
        let shop = try await Scenario(
            at: stage,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        for customer in ["ann", "bob"] {
            try await shop.buys(customer, "pro")
            try await shop.declinesCard(of: customer)
        }
        try await shop.advance(to: "2026-02-05")
        try await shop.cancels("ann")
        try await shop.advance(to: "2026-02-25")
        try await shop.cancels("bob")
        try await shop.advance(to: "2026-06-01")
        try await shop.expect(
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
        "Buying the same product in retry pays for it; another one begins a new subscription period",
        arguments: StageKind.all
    )
    func boughtInRetry(at stage: StageKind) async throws {
        let shop = try await Scenario(
            at: stage,
            on: "2026-01-01",
            selling: [.plan(), .plan("other", level: 2, at: 1_990)]
        )
        for customer in ["ann", "bob"] {
            try await shop.buys(customer, "pro")
            try await shop.declinesCard(of: customer)
        }
        try await shop.advance(to: "2026-02-10")
        try await shop.buys("ann", "pro")
        try await shop.buys("bob", "other")
        try await shop.advance(to: "2026-02-20")
        try await shop.expect(
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

    @Test("Buying the same product in grace pays for it and keeps the cycle", arguments: StageKind.all)
    func boughtInGrace(at stage: StageKind) async throws {
        let shop = try await Scenario(
            at: stage,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        try await shop.buys("ann", "pro")
        try await shop.declinesCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-02-20")
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-10  DID_RENEW BILLING_RECOVERY      status 1  paid 2026-02-01 to 2026-03-01
            """
        )
    }

    @Test(
        "A refund of the current period revokes; its later end is not notified; a new purchase starts again",
        arguments: StageKind.all
    )
    func refund(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-01-10")
        try await shop.grantsRefund(to: "ann")
        try await shop.advance(to: "2026-02-20")
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-03-01")
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-01-10  REFUND                  status 5  REFUND_FULL
            2026-02-20  SUBSCRIBED RESUBSCRIBE  status 1  paid until 2026-03-20
            """
        )
    }

    @Test("A refund in grace revokes", arguments: StageKind.all)
    func refundInGrace(at stage: StageKind) async throws {
        let shop = try await Scenario(
            at: stage,
            on: "2026-01-01",
            selling: [.plan()],
            grace: GracePeriod(days: 16)
        )
        try await shop.buys("ann", "pro")
        try await shop.declinesCard(of: "ann")
        try await shop.advance(to: "2026-02-10")
        try await shop.grantsRefund(to: "ann")
        try await shop.advance(to: "2026-06-01")
        #expect(try await shop.own("ann").status == 5)
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY          status 1  paid until 2026-02-01
            2026-02-01  DID_FAIL_TO_RENEW GRACE_PERIOD  status 4  grace until 2026-02-17
            2026-02-10  REFUND                          status 5  REFUND_FULL
            """
        )
    }

    @Test("A refund of an earlier period changes nothing, active or expired", arguments: StageKind.all)
    func olderRefund(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-02-10")
        try await shop.grantsRefund(to: "ann", of: "2026-01-01")
        try await shop.cancels("ann")
        try await shop.advance(to: "2026-03-10")
        try await shop.reversesRefund(of: "ann", "2026-01-01")
        try await shop.grantsRefund(to: "ann", of: "2026-01-01")
        try await shop.advance(to: "2026-06-01")
        try await shop.expect(
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
        "A refund reversed in time continues; one reversed later has expired meanwhile",
        arguments: StageKind.all
    )
    func reversal(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        for customer in ["ann", "bob", "cat"] { try await shop.buys(customer, "pro") }
        try await shop.advance(to: "2026-01-10")
        try await shop.cancels("cat")
        for customer in ["ann", "bob", "cat"] { try await shop.grantsRefund(to: customer) }
        try await shop.advance(to: "2026-01-20")
        try await shop.reversesRefund(of: "ann")
        try await shop.advance(to: "2026-02-20")
        try await shop.reversesRefund(of: "bob")
        try await shop.reversesRefund(of: "cat")
        try await shop.expect(
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

    @Test("A product that is removed from sale ends at the end of the period", arguments: StageKind.all)
    func removed(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-01-10")
        try await shop.removesFromSale("pro")
        try await shop.refuses("product_not_for_sale") { try await shop.buys("bob", "pro") }
        try await shop.advance(to: "2026-03-01")
        try await shop.putsOnSale("pro")
        try await shop.buys("ann", "pro")
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY        status 1  paid until 2026-02-01
            2026-02-01  EXPIRED PRODUCT_NOT_FOR_SALE  status 2
            2026-03-01  SUBSCRIBED RESUBSCRIBE        status 1  paid until 2026-04-01
            """
        )
    }

    @Test("After cancelling a product that was later removed, the expiration is voluntary", arguments: StageKind.all)
    func removedAndCancelled(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.removesFromSale("pro")
        try await shop.cancels("ann")
        try await shop.advance(to: "2026-03-01")
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY           status 1  paid until 2026-02-01
            2026-01-01  DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED  status 1
            2026-02-01  EXPIRED VOLUNTARY                status 2
            """
        )
    }

    @Test("A product that is back on sale in time renews", arguments: StageKind.all)
    func restored(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        try await shop.buys("ann", "pro")
        try await shop.removesFromSale("pro")
        try await shop.advance(to: "2026-01-20")
        try await shop.putsOnSale("pro")
        try await shop.advance(to: "2026-02-05")
        try await shop.expect(
            """
            2026-01-01  SUBSCRIBED INITIAL_BUY  status 1  paid until 2026-02-01
            2026-02-01  DID_RENEW               status 1  paid until 2026-03-01
            """
        )
    }

    @Test(
        "The start of the run is kept over a gap of up to sixty days and moves after a longer one",
        arguments: StageKind.all
    )
    func gaps(at stage: StageKind) async throws {
        let shop = try await Scenario(at: stage, on: "2026-01-01", selling: [.plan()])
        for customer in ["ann", "bob"] {
            try await shop.buys(customer, "pro")
            try await shop.cancels(customer)
        }
        // Sixty days after 1 February, and a day more.
        try await shop.advance(to: "2026-04-02")
        try await shop.buys("ann", "pro")
        try await shop.advance(to: "2026-04-03")
        try await shop.buys("bob", "pro")
        try await shop.expect(
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
