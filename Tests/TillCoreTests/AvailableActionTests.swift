import Testing
import TillCore
import TillTestSupport

/// Checks that each available action is accepted, and that the rules refuse the other actions.
@Suite("Available actions")
struct AvailableActionTests {
    enum Situation: CaseIterable, Sendable {
        case subscribed, trial, renewed, extendedTwice, chargedAhead, cancelled, askedForConsent, cancelledAfterNotice
        case consented, gracePeriod, billingRetry, expired, refunded, refundedInPart, requested, withdrawnFromSale
        case inFamily, notShared
    }

    private static func shop(_ situation: Situation) throws -> CoreShop {
        let start: [Product] = [
            situation == .trial ? .plan(isShared: true, offers: .freeWeek) : .plan(isShared: true),
            .plan("max", level: 2),
        ]
        var policy = Policy(for: .production)
        policy.extendsFirstPeriod = false
        if situation == .gracePeriod { policy.grace = .init(days: 16) }
        var shop = CoreShop(on: "2026-01-05", in: .production, policy: policy, selling: start)
        try shop.buy("pro", by: "ann")
        let original = try #require(shop.subscription("ann")?.originalID)
        func renew() { shop.advance(to: "2026-02-06") }
        switch situation {
        case .subscribed, .trial: break
        case .renewed: renew()
        case .extendedTwice:
            renew()
            for request in ["a", "b"] {
                let wanted = Extension(subscription: original, days: 3, reasonCode: 1, request: request)
                try shop.perform(.extend(wanted), by: "ann")
            }
        case .chargedAhead: shop.advance(to: "2026-02-04T13:00:00Z")
        case .cancelled: try shop.cancelRenewal(of: "ann")
        case .askedForConsent, .cancelledAfterNotice, .consented:
            let raise = PriceRaise(productID: "pro", prices: .usd(99_990), consent: .required)
            shop.perform(Job(id: "raise", task: .raisePrice(raise)))
            shop.advance(to: "2026-01-20")
            if situation == .cancelledAfterNotice { try shop.cancelRenewal(of: "ann") }
            if situation == .consented { try shop.perform(.acceptPriceIncrease(original), by: "ann") }
        case .gracePeriod, .billingRetry:
            try shop.perform(.useCard(.declinedForRenewals), by: "ann")
            renew()
        case .expired:
            try shop.cancelRenewal(of: "ann")
            renew()
        case .refunded: try shop.perform(.refund(Refund(transaction: original)), by: "ann")
        case .refundedInPart:
            try shop.perform(.refund(Refund(transaction: original, share: .part(10_000))), by: "ann")
        case .requested: try shop.perform(.requestRefund(original, .other), by: "ann")
        case .withdrawnFromSale:
            try shop.cancelRenewal(of: "ann")
            renew()
            var product = start[0]
            product.isForSale = false
            shop.catalog.put(product)
        case .inFamily: try shop.join("bob", familyOf: "ann")
        case .notShared:
            try shop.join("bob", familyOf: "ann")
            try shop.perform(.shareWithFamily(original, false), by: "ann")
        }
        return shop
    }

    private static func command(_ action: CustomerAction, _ original: TransactionID, _ latest: TransactionID) -> Command
    {
        switch action {
        case .finish: .finish(latest)
        case .refund: .refund(Refund(transaction: latest))
        case .refundUnusedPart: .refund(Refund(transaction: latest, share: .unused))
        case .reverseRefund: .reverseRefund(latest)
        case .requestRefund: .requestRefund(latest, .other)
        case .declineRefund: .declineRefund(latest)
        case .cancel: .turnAutoRenewOff(original)
        case .resume: .turnAutoRenewOn(original)
        case .resubscribe: .purchase(Purchase(productID: "pro"))
        case .change: .purchase(change(original))
        case .extend: .extend(Extension(subscription: original, days: 3, reasonCode: 1, request: "probe"))
        case .acceptPriceIncrease: .acceptPriceIncrease(original)
        case .declinePriceIncrease: .declinePriceIncrease(original)
        case .share: .shareWithFamily(original, true)
        case .stopSharing: .shareWithFamily(original, false)
        }
    }

    private static func change(_ original: TransactionID) -> Purchase {
        var purchase = Purchase(productID: "max")
        purchase.subscription = original
        return purchase
    }

    /// Actions that have no effect while they are not available, instead of a refusal.
    private static let neverRefused: Set<CustomerAction> = [
        .finish, .share, .stopSharing, .resubscribe, .refundUnusedPart,
    ]

    @Test("The rules accept exactly the available actions", arguments: Situation.allCases)
    func actions(_ situation: Situation) throws {
        let shop = try Self.shop(situation)
        let account = try #require(shop.accounts["ann"])
        let subscription = try #require(shop.subscription("ann"))
        let available = AvailableActions(of: account, at: shop.now, catalog: shop.catalog, policy: shop.policy)
        let actions =
            available.actions(on: subscription) + available.actions(on: subscription.latestTransaction)
        #expect(Set(actions).count == actions.count)
        for action in CustomerAction.allCases {
            let command = Self.command(action, subscription.originalID, subscription.latestTransaction.id)
            let refusal: Refusal?
            do {
                var tried = shop
                try tried.perform(command, by: "ann")
                refusal = nil
            } catch {
                refusal = error
            }
            if actions.contains(action) {
                #expect(refusal == nil, "\(action)")
            } else if !Self.neverRefused.contains(action) {
                #expect(refusal != nil, "\(action)")
            }
        }
    }

    @Test("Each situation has its own actions")
    func selected() throws {
        func actions(_ situation: Situation, by customer: String = "ann") throws -> Set<CustomerAction> {
            let shop = try Self.shop(situation)
            let account = try #require(shop.accounts[customer])
            let available = AvailableActions(of: account, at: shop.now, catalog: shop.catalog, policy: shop.policy)
            let subscription = try #require(account.heldSubscriptions.first)
            return Set(available.actions(on: subscription))
        }
        #expect(try actions(.subscribed) == [.cancel, .change])
        #expect(try actions(.renewed) == [.cancel, .change, .extend])
        #expect(try actions(.cancelled) == [.resume, .change])
        #expect(
            try actions(.askedForConsent) == [.cancel, .change, .acceptPriceIncrease, .declinePriceIncrease]
        )
        #expect(try actions(.expired) == [.resubscribe])
        #expect(try actions(.withdrawnFromSale).isEmpty)
        #expect(try actions(.inFamily) == [.cancel, .change, .stopSharing])
        #expect(try actions(.notShared) == [.cancel, .change, .share])
        #expect(try actions(.inFamily, by: "bob").isEmpty)
    }

    @Test("A one-time product can be refunded and shared, and a copy only finished")
    func oneTime() throws {
        var shop = CoreShop(selling: [.skin.shared])
        let skin = try shop.buy("skin", by: "ann")
        func actions(_ customer: String) throws -> [CustomerAction] {
            let account = try #require(shop.accounts[customer])
            let row = try #require(shop.history(customer).first)
            return AvailableActions(of: account, at: shop.now, catalog: shop.catalog, policy: shop.policy)
                .actions(on: row)
        }
        #expect(try actions("ann") == [.refund, .requestRefund, .finish])
        try shop.join("bob", familyOf: "ann")
        #expect(try actions("ann") == [.refund, .requestRefund, .stopSharing, .finish])
        #expect(try actions("bob") == [.finish])
        try shop.perform(.finish(skin.id), by: "ann")
        try shop.perform(.shareWithFamily(skin.id, false), by: "ann")
        #expect(try actions("ann") == [.refund, .requestRefund, .share])
        try shop.perform(.refund(Refund(transaction: skin.id)), by: "ann")
        #expect(try actions("ann") == [.reverseRefund])
    }
}
