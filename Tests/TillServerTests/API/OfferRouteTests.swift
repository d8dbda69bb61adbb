import Crypto
import Foundation
import HTTPTypes
import Testing
import TillControl
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

/// Buys with offers of every kind, and with signatures that the server must refuse.
@Suite("Offers and purchase rules, through the control API")
struct OfferRouteTests {
    static let catalog: [Product] = [
        .coins, .skin.shared, .season,
        Product(id: "solo", type: .nonConsumable, referenceName: "Solo", prices: .usd(2_990)),
        Product(
            id: "tickets",
            type: .consumable,
            referenceName: "Tickets",
            prices: .usd(1_990),
            offers: [
                Offer(kind: .code, id: "GIFT", mode: .oneTime, prices: .usd(490)),
                Offer(kind: .code, id: "RARE", mode: .oneTime, prices: .usd(990)).with { $0.redemptionLimit = 2 },
            ]
        ), .plan("pro", level: 1, at: 9_990, isShared: true),
        .plan(
            "basic",
            level: 2,
            at: 4_990,
            isShared: true,
            offers: .freeWeek,
            .payAsYouGo(.promotional, "stay3", times: 3, at: 2_990),
            .payUpFront(.promotional, "half", for: Period(6, .month), at: 9_990),
            .free(.promotional, "month"),
            .free(.code, "SPRING", for: Period(2, .month)).with {
                $0.audience = [.new]
                $0.isStackable = true
            },
            .payUpFront(.code, "BACK", for: Period(3, .month), at: 3_990).with { $0.audience = [.expired] },
            .payAsYouGo(.code, "STAYING", times: 2, at: 1_990).with { $0.audience = [.existing] },
            .free(.code, "FEW", for: .week).with { $0.redemptionLimit = 3 },
            .payUpFront(.winBack, "return", for: Period(3, .month), at: 6_990)
        ),
        .plan(
            "extra",
            each: .week,
            at: 1_490,
            group: "20450881",
            offers: Offer(
                kind: .introductory,
                mode: .payAsYouGo,
                period: .week,
                periodCount: 4,
                prices: .usd(490)
            )
        ),
    ]

    /// The customers of a shop, and their purchases.
    struct Shop: Sendable {
        let routes: AppServer
        var control: TypedControl { routes.control }

        static func run(
            in environment: StoreEnvironment = .sandbox,
            _ body: @escaping @Sendable (Shop) async throws -> Void
        ) async throws {
            try await AppServer.run(in: environment, selling: OfferRouteTests.catalog) {
                try await body(Shop(routes: $0))
            }
        }

        /// A purchase: its ids and events, its offer, and the offer of the next period.
        struct Bought: Sendable {
            let info: TransactionInfo
            let events: [EventName]
            /// Type, id, discount type and period of the offer, and the price.
            let offer: String
            /// Type, id, discount type and period of the next period's offer, and its price.
            let next: String
        }

        func request(_ product: String, by customer: String, _ offer: OfferToApply? = nil) -> BuyProduct {
            BuyProduct(app: routes.app, customer: customer, productId: product, offer: offer, include: [.signed])
        }

        func buy(_ product: String, by customer: String, _ offer: OfferToApply? = nil) async throws -> Bought {
            let answer = try await control.send(request(product, by: customer, offer))
            let info = try #require(answer.transaction)
            let renewal = try info.signedRenewalInfo.map { try control.payload(of: $0) }
            let transaction = try control.payload(of: info.signedTransactionInfo)
            return Bought(
                info: info,
                events: answer.events,
                offer: Self.offer(transaction, "price"),
                next: renewal.map { Self.offer($0, "renewalPrice") } ?? ""
            )
        }

        private static func offer(_ payload: JSONTree, _ price: String) -> String {
            ["offerType", "offerIdentifier", "offerDiscountType", "offerPeriod", price].compactMap { key in
                payload[key].map { $0.text ?? $0.number.map(String.init) ?? "" }
            }.joined(separator: " ")
        }

        /// Checks that a purchase is refused with a reason that contains the words, and that it stores nothing.
        func expectRefusal(
            _ status: Int,
            _ code: String,
            _ words: String...,
            of request: BuyProduct,
            sourceLocation: SourceLocation = #_sourceLocation
        ) async throws {
            let customer = GetCustomer(app: routes.app, customer: request.customer)
            let before = try? await control.send(customer).transactions
            do {
                _ = try await control.send(request)
                Issue.record("the purchase was accepted", sourceLocation: sourceLocation)
            } catch let failure as ControlFailure {
                let refusal = TypedControl.Refusal(failure.status, failure.error.code)
                #expect(refusal == TypedControl.Refusal(status, code), "\(failure)", sourceLocation: sourceLocation)
                for word in words {
                    #expect(failure.error.message.contains(word), "\(failure)", sourceLocation: sourceLocation)
                }
            }
            let after = try? await control.send(customer).transactions
            #expect((before ?? 0) == (after ?? 0), sourceLocation: sourceLocation)
        }
    }

    private static func code(_ id: String) -> OfferToApply { OfferToApply(kind: .code, id: id) }
    private static let winBack = OfferToApply(kind: .winBack, id: "return")
    private static let introductory = OfferToApply(kind: .introductory)

    @Test(
        "The introductory offer applies once in each group, unless it is declined",
        arguments: StoreEnvironment.allCases
    )
    func introductoryOffers(in environment: StoreEnvironment) async throws {
        try await Shop.run(in: environment) { shop in
            let free = try await shop.buy("basic", by: "ann")
            #expect(free.offer == "1 FREE_TRIAL P1W 0" && free.next == "4990")
            let length = (free.info.expiresDate?.milliseconds ?? 0) - free.info.purchaseDate.milliseconds
            #expect(length == 7 * 86_400_000)
            let paid = try await shop.buy("extra", by: "ann")
            #expect(paid.offer == "1 PAY_AS_YOU_GO P4W 490", "each group has its own introductory offer")
            #expect(paid.next == "1 PAY_AS_YOU_GO P4W 490", "three of four periods are left")
            #expect(try await shop.buy("extra", by: "bob", .noOffer).offer == "1490")
            _ = try await shop.routes.lapsed("basic", by: "cat", offer: nil)
            let used = shop.request("basic", by: "cat", Self.introductory)
            try await shop.expectRefusal(409, "introductory_offer_used", "20450880", of: used)
            #expect(try await shop.buy("basic", by: "cat").offer == "4990")
            let none = shop.request("pro", by: "dan", Self.introductory)
            try await shop.expectRefusal(404, "unknown_offer", of: none)
        }
    }

    // MARK: Codes and win-back offers

    @Test("A code is valid for its audience, after or instead of the introductory offer, and up to its limit")
    func codes() async throws {
        try await Shop.run { shop in
            _ = try await shop.buy("basic", by: "active", .noOffer)
            _ = try await shop.routes.lapsed("basic", by: "lapsed")
            for (customer, id) in [
                ("new", "STAYING"), ("new", "BACK"), ("active", "SPRING"), ("active", "BACK"), ("lapsed", "SPRING"),
                ("lapsed", "STAYING"),
            ] {
                let request = shop.request("basic", by: customer, Self.code(id))
                try await shop.expectRefusal(409, "code_not_for_audience", id, of: request)
            }
            let staying = try await shop.buy("basic", by: "active", Self.code("STAYING")).next
            #expect(staying == "3 STAYING PAY_AS_YOU_GO P2M 1990")
            let back = try await shop.buy("basic", by: "lapsed", Self.code("BACK")).offer
            #expect(back == "3 BACK PAY_UP_FRONT P3M 3990")
            let spring = try await shop.buy("basic", by: "new", Self.code("SPRING"))
            #expect(spring.offer == "1 FREE_TRIAL P1W 0" && spring.next == "3 SPRING FREE_TRIAL P2M 0")
            let few = Self.code("FEW")
            for customer in ["ann", "bob", "cat"] {
                #expect(try await shop.buy("basic", by: customer, few).offer == "3 FEW FREE_TRIAL P1W 0")
                let again = shop.request("basic", by: customer, few)
                try await shop.expectRefusal(409, "code_already_redeemed", "FEW", of: again)
            }
            try await shop.expectRefusal(409, "code_used_up", "FEW", "3", of: shop.request("basic", by: "dan", few))
            let unknown = shop.request("basic", by: "eve", Self.code("NOTHING"))
            try await shop.expectRefusal(404, "unknown_offer", "NOTHING", of: unknown)
        }
    }

    @Test("A one-time product accepts a code, and no other offer; a limit holds for concurrent redemptions")
    func oneTimeCodes() async throws {
        try await Shop.run { shop in
            var request = shop.request("tickets", by: "ann", Self.code("GIFT"))
            request.quantity = 2
            let gift = try #require(try await shop.control.send(request).transaction)
            let payload = try shop.control.payload(of: gift.signedTransactionInfo)
            #expect(payload["price"]?.number == 980 && payload.text("offerIdentifier") == "GIFT")
            #expect(payload["offerPeriod"] == nil && payload.text("offerDiscountType") == "ONE_TIME")
            let again = shop.request("tickets", by: "ann", Self.code("GIFT"))
            try await shop.expectRefusal(409, "code_already_redeemed", of: again)
            for offer in [Self.introductory, Self.winBack] {
                let request = shop.request("tickets", by: "ann", offer)
                try await shop.expectRefusal(404, "unknown_offer", of: request)
            }
            #expect(try await shop.buy("tickets", by: "ann").offer == "1990")
            let production = AppEnvironment(TestShop.bundleID, .production)
            let outcomes = await withTaskGroup(of: String.self) { group in
                for number in 0..<12 {
                    group.addTask {
                        var request = shop.request("tickets", by: "\(number)", Self.code("RARE"))
                        request.app = production
                        do { return try await shop.control.refusal(of: request)?.code ?? "bought" } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }.sorted()
            }
            #expect(outcomes == ["bought", "bought"] + [String](repeating: "code_used_up", count: 10))
            // Each environment has its own count.
            #expect(try await shop.buy("tickets", by: "bob", Self.code("RARE")).offer == "3 RARE ONE_TIME 990")
        }
    }

    @Test("A win-back offer is for customers whose own subscription ran out", arguments: StoreEnvironment.allCases)
    func winBackOffers(in environment: StoreEnvironment) async throws {
        try await Shop.run(in: environment) { shop in
            let new = shop.request("basic", by: "new", Self.winBack)
            try await shop.expectRefusal(409, "offer_needs_earlier_subscription", of: new)
            _ = try await shop.buy("basic", by: "active", .noOffer)
            let active = shop.request("basic", by: "active", Self.winBack)
            try await shop.expectRefusal(409, "offer_needs_no_subscription", of: active)
            let old = try await shop.routes.lapsed("basic", by: "lapsed", days: 40)
            if environment == .production {
                // The criteria are at least one paid month, and one month since the end of the subscription.
                let early = shop.request("basic", by: "lapsed", Self.winBack)
                try await shop.expectRefusal(409, "win_back_not_yet", "return", of: early)
                _ = try await shop.routes.lapsed("basic", by: "free", offer: nil)
                shop.control.test.advance(40 * 86_400_000)
                let unpaid = shop.request("basic", by: "free", Self.winBack)
                try await shop.expectRefusal(409, "win_back_not_yet", "return", of: unpaid)
            }
            let bought = try await shop.buy("basic", by: "lapsed", Self.winBack)
            #expect(bought.offer == "4 return PAY_UP_FRONT P3M 6990")
            #expect(bought.info.originalTransactionId == old.transactionId)
            #expect(bought.info.transactionId != old.transactionId)
        }
    }

    @Test("Family access does not make a customer eligible for a win-back offer")
    func familyWinBack() async throws {
        try await Shop.run { shop in
            _ = try await shop.routes.lapsed("basic", by: "ann")
            let family = CreateFamily(app: shop.routes.app, organizer: "ann", members: ["bob"])
            _ = try await shop.control.send(family)
            _ = try await shop.buy("basic", by: "ann", .noOffer)
            _ = try await shop.control.send(LeaveFamily(app: shop.routes.app, customer: "bob"))
            let request = shop.request("basic", by: "bob", Self.winBack)
            try await shop.expectRefusal(409, "offer_needs_earlier_subscription", of: request)
        }
    }

    // MARK: Purchase rules

    @Test("A purchase has the quantity of its type, and a date that is not before the last event")
    func quantities() async throws {
        try await Shop.run { shop in
            for (product, most) in [("coins", 10), ("season", 1), ("skin", 1), ("basic", 1)] {
                var request = shop.request(product, by: "ann")
                request.quantity = most
                #expect(try await shop.control.send(request).transaction?.quantity == most)
                request.customer = "bob"
                for quantity in [0, most + 1, 11, -1] {
                    request.quantity = quantity
                    #expect(try await shop.control.refusal(of: request)?.status == 400, "\(product) \(quantity)")
                }
            }
            var early = shop.request("coins", by: "ann")
            early.at = shop.control.inDays(-1)
            try await shop.expectRefusal(409, "earlier_than_last_event", of: early)
            let unknown = shop.request("nothing", by: "ann")
            try await shop.expectRefusal(404, "unknown_product", "nothing", of: unknown)
            var named = shop.request("coins", by: "ann")
            named.appAccountToken = "nonsense"
            try await shop.expectRefusal(400, "bad_app_account_token", "nonsense", of: named)
            let abroad = try InvalidRequest(shop.request("coins", by: "ann"), ["storefront": .string("XXX")])
            #expect(try await shop.control.refusal(of: abroad) == .init(400, "bad_request"))
        }
    }

    @Test("Only a consumable or a non-renewing subscription can be bought again while it is owned")
    func owned() async throws {
        for environment in StoreEnvironment.allCases {
            try await Shop.run(in: environment) { shop in
                let bought = try await shop.buy("solo", by: "ann")
                var request = shop.request("solo", by: "ann")
                request.price = 1
                request.currency = "EUR"
                let free = try await shop.control.send(request)
                #expect(free.transaction?.transactionId == bought.info.transactionId)
                #expect(free.events == [.alreadyOwned] && free.notifications.isEmpty)
                let before = try shop.control.payload(of: bought.info.signedTransactionInfo)
                let after = try shop.control.payload(of: free.transaction?.signedTransactionInfo)
                #expect(before.withoutSigningDate == after.withoutSigningDate)
                try await shop.routes.refund(bought.info.transactionId)
                #expect(try await shop.buy("solo", by: "ann").info.transactionId != bought.info.transactionId)
                let customer = GetCustomer(app: shop.routes.app, customer: "ann")
                #expect(try await shop.control.send(customer).owned == ["solo"])
                for product in ["coins", "season"] {
                    let first = try await shop.buy(product, by: "ann").info
                    let second = try await shop.buy(product, by: "ann").info
                    #expect(first.transactionId == first.originalTransactionId && first.expiresDate == nil)
                    #expect(second.transactionId == second.originalTransactionId)
                    #expect(second.transactionId != first.transactionId)
                    let payload = try shop.control.payload(of: first.signedTransactionInfo)
                    #expect(payload["subscriptionGroupIdentifier"] == nil)
                }
            }
        }
    }

    @Test("One subscription of a group is active at a time, and a resubscription keeps the original id")
    func groups() async throws {
        for environment in StoreEnvironment.allCases {
            try await Shop.run(in: environment) { shop in
                _ = try await shop.buy("basic", by: "ann", .noOffer)
                let again = shop.request("basic", by: "ann", .noOffer)
                try await shop.expectRefusal(409, "already_subscribed", "basic", of: again)
                let pro = try await shop.buy("pro", by: "ann")
                #expect(pro.events.contains(.upgraded))
                #expect(try await shop.buy("basic", by: "ann").info.transactionId == pro.info.transactionId)
                let get = GetCustomer(app: shop.routes.app, customer: "ann")
                let shown = try await shop.control.send(get).subscriptions
                #expect(shown.map(\.productId) == ["pro"] && shown.map(\.autoRenewProductId) == ["basic"])
                let withdrawn = try await shop.buy("pro", by: "ann")
                #expect(withdrawn.events == [.planChangeWithdrawn] && withdrawn.next == "9990")
                #expect(withdrawn.info.transactionId == pro.info.transactionId)
                let old = try await shop.routes.lapsed("basic", by: "bob")
                let new = try await shop.buy("pro", by: "bob").info
                #expect(new.originalTransactionId == old.transactionId && new.transactionId != old.transactionId)
                #expect(new.webOrderLineItemId != old.webOrderLineItemId)
                let payload = try shop.control.payload(of: new.signedTransactionInfo)
                #expect(payload.text("transactionReason") == "PURCHASE")
                #expect(payload["originalPurchaseDate"]?.number == old.purchaseDate.milliseconds)
                let info = try await shop.routes.apple.json("/inApps/v1/transactions/\(old.transactionId)")
                #expect(try shop.control.payload(of: info.text("signedTransactionInfo"))["isUpgraded"] == nil)
            }
        }
    }

    @Test("An impossible refund is refused with its reason")
    func refunds() async throws {
        try await Shop.run { shop in
            let id = try await shop.buy("coins", by: "ann").info.transactionId
            let app = shop.routes.app
            func refund(_ share: RefundShare?, _ percentage: Int? = nil, of id: String) -> RefundTransaction {
                RefundTransaction(app: app, transactionId: id, share: share, percentage: percentage)
            }
            let control = shop.control
            try await control.expectRefusal(409, "not_refunded", of: ReverseRefund(app: app, transactionId: id))
            for (request, status, code) in [
                (refund(.unused, of: id), 409, "nothing_left_to_prorate"), (refund(.part, of: id), 400, "bad_share"),
                (refund(.full, 5, of: id), 400, "bad_share"), (refund(.part, 100_000, of: id), 400, "bad_request"),
                (refund(nil, of: "2000000999999999"), 404, "unknown_transaction"),
            ] {
                try await control.expectRefusal(status, code, of: request)
            }
            _ = try await control.send(refund(nil, of: id))
            try await control.expectRefusal(409, "already_revoked", of: refund(nil, of: id))
        }
    }
}
