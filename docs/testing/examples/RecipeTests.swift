import Testing
import TillTesting

@Suite(.till(catalog: "Shop.storekit"))
struct RecipeTests {
    @Test("Grace period")
    func gracePeriod() async throws {
        let app = try Till.app
        _ = try await app.control.send(UpdateSettings(app: app.scope, grace: GracePeriodInfo(days: 16)))
        try await app.customer("ann").buy("pro.month", offer: OfferToApply(kind: .none))
        try await app.customer("ann").declineCard()
        try await Till.clock.advance("1mo")
        let failed = try await Till.endpoint.expect(.didFailToRenew, .gracePeriod)
        #expect(failed.status == .gracePeriod)  // she keeps access
        try await Till.clock.advance("16d")
        try await Till.endpoint.expect(.gracePeriodExpired)
    }

    @Test("Billing retry")
    func billingRetry() async throws {
        let ann = try Till.app.customer("ann")
        try await ann.buy("pro.month", offer: OfferToApply(kind: .none))
        try await ann.declineCard()
        try await Till.clock.advance("1mo")
        #expect(try await Till.endpoint.expect(.didFailToRenew).status == .billingRetry)
        try await Till.clock.advance("10d")
        try await ann.acceptCard()
        try await Till.endpoint.expect(.didRenew, .billingRecovery)
    }

    // Faults. A rule that the app adds concerns this app only.

    @Test("A notification that arrives twice")
    func duplicate() async throws {
        try await Till.app.addFault(.duplicate, limit: 1)
        try await Till.app.customer("ann").buy("coins.10")
        let bought = try await Till.endpoint.expect(.oneTimeCharge)
        #expect(try Till.endpoint.attempts(bought) == 2)
    }

    @Test("Notifications out of order")
    func outOfOrder() async throws {
        try await Till.app.addFault(.reorder, route: "SUBSCRIBED", limit: 1)
        try await Till.app.customer("ann").buy("pro.month")
        #expect(try Till.endpoint.received.isEmpty)  // held back until the next one of the subscription was delivered
        try await Till.app.customer("ann").cancel()
        #expect(try Till.endpoint.received.map(\.type) == [.didChangeRenewalStatus, .subscribed])
    }

    @Test("A lost notification is sent again")
    func lost() async throws {
        let app = try Till.app
        try await app.addFault(.drop, route: "ONE_TIME_CHARGE", limit: 1)
        try await app.customer("ann").buy("coins.10")
        #expect(try Till.endpoint.received.isEmpty)
        let lost = try await app.control.send(ListNotifications(app: app.scope)).notifications[0]
        let resend = ResendNotifications(app: app.scope, notificationUUID: lost.notificationUUID)
        _ = try await app.control.send(resend.settling(60))
        try await Till.endpoint.expect(.oneTimeCharge)
    }

    @Test("A refund of a part")
    func partialRefund() async throws {
        let purchase = try await Till.app.customer("ann").buy("coins.10")
        try await Till.app.customer("ann").refund(purchase, percentage: 50)
        #expect(try await Till.endpoint.expect(.refund).transaction?.revocationDate != nil)
    }
}

@Suite(.till(catalog: "Shop.storekit", start: "2025-01-31"))
struct RecipeWithDatesTests {
    @Test("A subscription since a fixed day")
    func start() async throws {
        let purchase = try await Till.app.customer("ann").buy("pro.month", offer: OfferToApply(kind: .none))
        let expiry = try #require(purchase.expiresDate)
        try await Till.clock.advance(to: expiry)
        #expect(try await Till.endpoint.expect(.didRenew).transaction?.purchaseDate == expiry)
    }
}
