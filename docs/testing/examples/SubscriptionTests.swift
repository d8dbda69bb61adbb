import Testing
import TillTesting

/// A tiny backend: it decides from notifications which subscription gives access.
actor Backend {
    private var paidUntil: [String: Timestamp] = [:]

    func handle(_ notification: Till.Notification) {
        guard let transaction = notification.transaction else { return }
        switch notification.type {
        case .subscribed, .didRenew: paidUntil[transaction.originalTransactionId] = transaction.expiresDate
        case .refund, .revoke, .expired: paidUntil[transaction.originalTransactionId] = nil
        default: break
        }
    }

    func hasAccess(_ originalTransactionId: String, at time: Timestamp) -> Bool {
        paidUntil[originalTransactionId].map { time < $0 } ?? false
    }
}

@Suite(.till(catalog: "Shop.storekit"))
struct SubscriptionTests {
    let backend = Backend()

    @Test("From trial to refund")
    func fromTrialToRefund() async throws {
        let (app, clock, endpoint) = (try Till.app, try Till.clock, try Till.endpoint)
        let ann = app.customer("ann")

        // Ann buys the month with the free week.
        let purchase = try await ann.buy("pro.month")
        let bought = try await endpoint.expect(.subscribed, .initialBuy)
        await backend.handle(bought)
        #expect(bought.transaction?.offerType == .introductory)
        #expect(await backend.hasAccess(purchase.originalTransactionId, at: try await clock.now))

        // A week later the first paid month begins.
        try await clock.advance("1w")
        let renewed = try await endpoint.expect(.didRenew)
        await backend.handle(renewed)
        let month = try #require(renewed.transaction)
        #expect(month.purchaseDate == purchase.expiresDate && month.price == 4_990)
        #expect(try await ann.transactions().contains { $0.transactionId == month.transactionId })
        #expect(await backend.hasAccess(purchase.originalTransactionId, at: try await clock.now))

        // The month is refunded, and the access ends.
        try await ann.refund(month.transactionId)
        let refunded = try await endpoint.expect(.refund)
        await backend.handle(refunded)
        #expect(refunded.transaction?.revocationDate != nil)
        #expect(try await ann.subscription("pro.month").status == .revoked)
        #expect(await backend.hasAccess(purchase.originalTransactionId, at: try await clock.now) == false)
        try endpoint.expectNothingElse()
    }

    @Test("A canceled trial ends after its week")
    func canceledTrial() async throws {
        let purchase = try await Till.app.customer("ben").buy("pro.month")
        try await Till.app.customer("ben").cancel()
        try await Till.clock.advance("1w")

        for type in [NotificationType.subscribed, .didChangeRenewalStatus, .expired] {
            await backend.handle(try await Till.endpoint.expect(type))
        }
        #expect(await backend.hasAccess(purchase.originalTransactionId, at: try await Till.clock.now) == false)
        try Till.endpoint.expectNothingElse()
    }
}
