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

/// Receives notifications of version 1: plain JSON with a unified receipt, which verifyReceipt must accept.
@Suite("Notifications of version 1")
struct VersionOneRouteTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private static let common: Set = [
        "notification_type", "environment", "password", "bid", "bvrs", "original_transaction_id", "deprecation",
        "unified_receipt",
    ]
    private static let renewal: Set = ["auto_renew_adam_id", "auto_renew_product_id", "auto_renew_status"]
    private static let change: Set = [
        "auto_renew_status_change_date", "auto_renew_status_change_date_ms", "auto_renew_status_change_date_pst",
    ]

    /// A customer, ann, in an environment whose clock is frozen and whose endpoint has version 1.
    private struct Shop: Sendable {
        let history: NotificationHistory
        var control: TypedControl { history.control }
        var app: AppEnvironment { history.app }

        /// Runs a test in both environments.
        static func run(
            in environments: [StoreEnvironment] = StoreEnvironment.allCases,
            listens: Bool = true,
            _ body: @escaping @Sendable (Shop) async throws -> Void
        ) async throws {
            for environment in environments {
                try await NotificationHistory.run(in: environment, endpoint: nil) { history in
                    let secret = SetSharedSecret(bundleId: TestShop.bundleID, sharedSecret: VersionOneRouteTests.secret)
                    _ = try await history.control.send(secret)
                    try await history.freeze()
                    if listens { try await history.listen("old", version: .one) }
                    try await body(Shop(history: history))
                }
            }
        }

        @discardableResult
        func buy(_ product: String) async throws -> String {
            try await control.buy(product, by: "ann", in: app, offer: product == "basic" ? .noOffer : nil).transactionId
        }

        func change(_ id: String, to product: String) async throws -> String? {
            let change = ChangeSubscription(app: app, originalTransactionId: id, productId: product)
            return try await control.send(change).transaction?.transactionId
        }

        func cancel(_ id: String) async throws {
            _ = try await control.send(CancelSubscription(app: app, originalTransactionId: id))
        }

        func expire(_ id: String) async throws {
            try await cancel(id)
            try await history.advance("40d")
        }

        func setCard(_ card: Card) async throws {
            _ = try await control.send(UpdateCustomer(app: app, customer: "ann", card: card))
        }

        func setGrace() async throws {
            _ = try await control.send(UpdateSettings(app: app, grace: GracePeriodInfo(days: 16)))
        }

        func refund(_ id: String) async throws {
            _ = try await control.send(RefundTransaction(app: app, transactionId: id))
        }

        /// The bodies of version 1, once everything that is due has been sent.
        func bodies() async throws -> [JSONTree] {
            try await history.advance("1s")
            return try history.receiver.requests.map { try JSONTree.parse($0.body) }
                .filter { $0["signedPayload"] == nil }
        }

        func types() async throws -> [String] { try await bodies().compactMap { $0.text("notification_type") } }

        func verify(_ receipt: String, _ more: String = "") async throws -> JSONTree {
            let body = #"{"receipt-data":"\#(receipt)","password":"\#(VersionOneRouteTests.secret)"\#(more)}"#
            let answer = try await history.apple.send(.post, "/verifyReceipt", body, headers: [:])
            #expect(answer.status == 200)
            return try answer.json
        }
    }

    private typealias Scenario = @Sendable (Shop) async throws -> Void

    private static func fail(_ duration: String, then card: Card? = nil) -> Scenario {
        {
            try await $0.setGrace()
            try await $0.buy("basic")
            try await $0.setCard(.declinedForRenewals)
            try await $0.history.advance(duration)
            if let card { try await $0.setCard(card) }
        }
    }

    private static let changed = "DID_CHANGE_RENEWAL_STATUS"
    /// For each event: what happens, and the types of its notifications in order.
    private static let events: [(String, [String], Scenario)] = [
        ("first purchase", ["INITIAL_BUY"], { try await $0.buy("basic") }),
        (
            "renewal", ["INITIAL_BUY", "DID_RENEW"],
            {
                try await $0.buy("basic")
                try await $0.history.advance("31d")
            }
        ),
        (
            "upgrade", ["INITIAL_BUY", changed, "INTERACTIVE_RENEWAL"],
            {
                try await $0.buy("basic")
                try await $0.buy("pro")
            }
        ),
        (
            "downgrade", ["INITIAL_BUY", "DID_CHANGE_RENEWAL_PREF"],
            { _ = try await $0.change($0.buy("pro"), to: "basic") }
        ),
        (
            "the same product after the end", ["INITIAL_BUY", changed, changed],
            {
                try await $0.expire($0.buy("basic"))
                try await $0.buy("basic")
            }
        ),
        (
            "another product after the end", ["INITIAL_BUY", changed, "INTERACTIVE_RENEWAL", changed],
            {
                try await $0.expire($0.buy("basic"))
                try await $0.buy("year")
            }
        ),
        (
            "cancelled and turned on", ["INITIAL_BUY", changed, changed],
            {
                let id = try await $0.buy("basic")
                try await $0.cancel(id)
                _ = try await $0.control.send(ResumeSubscription(app: $0.app, originalTransactionId: id))
            }
        ), ("a card that fails", ["INITIAL_BUY", "DID_FAIL_TO_RENEW"], fail("32d")),
        ("a card that recovers", ["INITIAL_BUY", "DID_FAIL_TO_RENEW", "DID_RECOVER"], fail("32d", then: .accepted)),
        ("a card that never recovers", ["INITIAL_BUY", "DID_FAIL_TO_RENEW", changed], fail("120d")),
        ("refund of a subscription", ["INITIAL_BUY", "CANCEL", changed], { try await $0.refund($0.buy("basic")) }),
        ("refund of a consumable", ["REFUND"], { try await $0.refund($0.buy("coins")) }),
        ("refund of a non-consumable", ["REFUND"], { try await $0.refund($0.buy("skin")) }),
        (
            "a requested refund", ["CONSUMPTION_REQUEST"],
            { _ = try await $0.control.send(RequestRefund(app: $0.app, transactionId: $0.buy("coins"))) }
        ),
        (
            "a family loses access", ["INITIAL_BUY", "REVOKE"],
            {
                _ = try await $0.control.send(CreateFamily(app: $0.app, organizer: "ann", members: ["bob"]))
                _ = try await $0.control.send(SetSharing(app: $0.app, transactionId: $0.buy("pro"), shared: false))
            }
        ),
        (
            "a price that needs consent", ["INITIAL_BUY", "PRICE_INCREASE_CONSENT"],
            {
                try await $0.buy("basic")
                let raise = RaisePrice(app: $0.app, productId: "basic", price: 99_990, consent: .required)
                _ = try await $0.control.send(raise)
                try await $0.history.advance("27d")
            }
        ), ("a purchase that is no subscription", [], { try await $0.buy("coins") }),
    ]

    @Test("Each event has its notifications in order, with these keys and a receipt that verifyReceipt accepts")
    func eachEvent() async throws {
        for (name, types, scenario) in Self.events {
            try await Shop.run { shop in
                // Version 2 is sent separately.
                try await shop.history.listen("new")
                try await scenario(shop)
                let bodies = try await shop.bodies()
                #expect(bodies.compactMap { $0.text("notification_type") } == types, "\(name)")
                #expect(shop.history.receiver.requests.count > bodies.count, "version 2 was not sent")
                for body in bodies { try await Self.check(body, in: shop) }
            }
        }
    }

    private static func check(_ body: JSONTree, in shop: Shop) async throws {
        let isSubscription = body["auto_renew_status"] != nil
        var keys = isSubscription ? common.union(renewal) : common
        if body.text("notification_type") == changed { keys.formUnion(change) }
        #expect(Set(body.members.map(\.key)).subtracting(["expiration_intent"]) == keys)
        #expect(body.text("environment") == (shop.history.environment == .production ? "PROD" : "Sandbox"))
        #expect(body.text("password") == secret && body.text("bid") == TestShop.bundleID)
        #expect(body.text("bvrs") == "1.0" && body["original_transaction_id"]?.number != nil)
        if isSubscription {
            #expect(["true", "false"].contains(body.text("auto_renew_status")))
            #expect(body.text("auto_renew_adam_id").flatMap { Int($0) } != nil)
        }
        try await checkReceipt(of: body, in: shop)
    }

    /// Checks that the receipt in a body is valid and has the same transactions.
    private static func checkReceipt(of body: JSONTree, in shop: Shop) async throws {
        let unified = try #require(body["unified_receipt"])
        #expect(unified.text("environment") == shop.history.environment.wireName && unified["status"]?.number == 0)
        let answer = try await shop.verify(try #require(unified.text("latest_receipt")))
        #expect(answer["status"]?.number == 0)
        let rows = unified["latest_receipt_info"]?.elements ?? []
        let inApp = answer["receipt"]?["in_app"]?.elements ?? []
        #expect(Set(rows.map { $0.text("transaction_id") }) == Set(inApp.map { $0.text("transaction_id") }))
        for element in inApp {
            let row = rows.first { $0.text("transaction_id") == element.text("transaction_id") }
            for member in element.members { #expect(row?[member.key] == member.value, "\(member.key)") }
        }
        let dates = rows.compactMap { $0.text("purchase_date_ms").flatMap { Int64($0) } }
        #expect(dates == dates.sorted(by: >))
    }

    // MARK: Unified receipts

    @Test("The last unified receipt equals the answer of verifyReceipt, and each renewal has the rows of its date")
    func last() async throws {
        try await Shop.run { shop in
            let id = try await shop.buy("basic")
            try await shop.buy("skin")
            try await shop.history.advance("100d")
            try await shop.cancel(id)
            let bodies = try await shop.bodies()
            let counts = bodies.map { $0["unified_receipt"]?["latest_receipt_info"]?.elements.count }
            #expect(counts == [1, 3, 4, 5, 5])
            let unified = try #require(bodies.last?["unified_receipt"])
            let answer = try await shop.verify(try #require(unified.text("latest_receipt")))
            for key in ["latest_receipt_info", "pending_renewal_info"] {
                #expect(unified[key] == answer[key], "\(key)")
            }
            let status = unified["pending_renewal_info"]?.elements.map { $0.text("auto_renew_status") }
            #expect(status == ["0"])
        }
    }

    @Test("A unified receipt has the newest hundred transactions")
    func newest() async throws {
        try await Shop.run(in: [.sandbox], listens: false) { shop in
            _ = try await shop.control.send(UpdateSettings(app: shop.app, rate: .custom(.sandbox5Minutes)))
            try await shop.buy("basic")
            try await shop.history.advance("510m")
            try await shop.history.listen("old", version: .one)
            try await shop.history.advance("6m")
            let bodies = try await shop.bodies()
            #expect(bodies.count == 1)
            let rows = bodies[0]["unified_receipt"]?["latest_receipt_info"]?.elements ?? []
            let dates = rows.compactMap { $0.text("purchase_date_ms").flatMap { Int64($0) } }
            #expect(rows.count == 100 && dates[0] - dates[99] == 99 * 5 * 60_000)
            try await Self.checkReceipt(of: bodies[0], in: shop)
        }
    }

    @Test("Many consumables do not hide a subscription")
    func consumables() async throws {
        try await Shop.run(listens: false) { shop in
            let bought = try await shop.buy("basic")
            try await shop.expire(bought)
            for _ in 0..<130 {
                _ = try await shop.control.send(
                    BuyProduct(app: shop.app, customer: "ann", productId: "coins", finished: true)
                )
            }
            try await shop.history.listen("old", version: .one)
            try await shop.buy("basic")
            let bodies = try await shop.bodies()
            #expect(bodies.map { $0.text("notification_type") } == [Self.changed], "the same product was bought again")
            let rows = bodies[0]["unified_receipt"]?["latest_receipt_info"]?.elements ?? []
            #expect(rows.contains { $0.text("transaction_id") == bought })
            #expect(rows.allSatisfy { $0.text("product_id") == "basic" })
        }
    }

    @Test("A refund turns off renewal, and an expiration has its intent")
    func intents() async throws {
        try await Shop.run { shop in
            try await shop.setGrace()
            try await shop.refund(shop.buy("basic"))
            #expect(try await shop.bodies().dropFirst().map { $0.text("auto_renew_status") } == ["false", "false"])
            // A cancellation in the grace period ends the subscription. Its element is removed, but the list remains.
            let again = try await shop.buy("basic")
            try await shop.setCard(.declinedForRenewals)
            try await shop.history.advance("32d")
            try await shop.cancel(again)
            let last = try #require(try await shop.bodies().last)
            #expect(last.text("auto_renew_status") == "false" && last["expiration_intent"]?.number == 1)
            #expect(last["unified_receipt"]?["pending_renewal_info"] == .array([]))
        }
    }

    @Test("An upgrade after the early charge takes precedence over the paid next period")
    func upgradeAfterCharge() async throws {
        try await Shop.run(in: [.production], listens: false) { shop in
            let first = try await shop.buy("basic")
            // The next month has been charged, but it has not begun.
            try await shop.history.advance("735h")
            try await shop.history.listen("old", version: .one)
            let bought = try #require(try await shop.change(first, to: "pro"))
            #expect(try await shop.types() == [Self.changed, "INTERACTIVE_RENEWAL"])
            let receipt = try await shop.control.send(GetReceipt(app: shop.app, customer: "ann")).receipt
            let rows = try await shop.verify(receipt)["latest_receipt_info"]?.elements ?? []
            let shown = rows.map { [$0.text("product_id"), $0.text("is_upgraded")] }
            #expect(shown == [["basic", "true"], ["pro", nil], ["basic", "true"]])
            let dates = rows.compactMap { $0.text("purchase_date_ms").flatMap { Int64($0) } }
            #expect(dates == dates.sorted(by: >))
            let latest = try await shop.verify(receipt, #","exclude-old-transactions":true"#)
            #expect(latest["latest_receipt_info"]?.elements.map { $0.text("transaction_id") } == [bought])
            try await shop.refund(bought)
            #expect(try await Array(shop.types().dropFirst(2)) == ["CANCEL", Self.changed])
        }
    }

    // MARK: Delivery

    @Test("An undeliverable notification is tried four times, and an endpoint has only the types of its version")
    func delivery() async throws {
        try await Shop.run { shop in
            shop.history.answer(.status(500))
            try await shop.buy("year")
            try await shop.history.advance("200h")
            let requests = shop.history.receiver.requests
            #expect(requests.count == 4 && Set(requests.map(\.body)).count == 1)
            let listed = try await shop.control.send(ListNotifications(app: shop.app, limit: 100)).notifications
            let old = listed.filter { $0.version == 1 }
            let delivery = try #require(old.first?.deliveries.first)
            let dates = delivery.attempts.map(\.attemptDate.milliseconds)
            #expect(old.count == 1 && dates.map { ($0 - dates[0]) / 3_600_000 } == [0, 6, 30, 78])
            #expect(!delivery.isDelivered && delivery.nextAttemptDate == nil && delivery.endpoint == "old")
            shop.history.answer(.status(200))
            try await shop.history.listen("old", types: ["DID_RENEW"], version: .one)
            let endpoints = try await shop.control.send(ListEndpoints(app: shop.app))
            let expected = EndpointInfo(
                name: "old",
                url: shop.history.receiver.url,
                types: ["DID_RENEW"],
                version: .one
            )
            #expect(try endpoints.json == [expected].json)
            let wrong = SetEndpoint(
                app: shop.app,
                endpoint: "old",
                url: shop.history.receiver.url,
                types: ["EXPIRED/VOLUNTARY"],
                version: .one
            )
            try await shop.control.expectRefusal(400, "bad_type", of: wrong)
            try await shop.buy("extra")
            try await shop.history.advance("8d")
            #expect(try await Array(shop.types().dropFirst(4)) == ["DID_RENEW"])
        }
    }

    @Test("A version-1 endpoint gets version-2 tests, has no other history, and gets the same body when resent")
    func primary() async throws {
        try await Shop.run(listens: false) { shop in
            let history = shop.history
            try await history.listen(version: .one)
            try await shop.buy("basic")
            let body = try #require(try await shop.bodies().first)
            #expect(try await history.items(["endDate": "4102444800000"]).isEmpty)
            let token = try await history.requestTest()
            let test = try JSONTree.parse(try await history.receiver.requests(atLeast: 2)[1].body)
            #expect(test.members.map(\.key) == ["signedPayload"])
            let status = try await history.control.waitFor {
                let answer = try await history.apple.get("/inApps/v1/notifications/test/\(token)")
                return answer.status == 200 ? try answer.json : nil
            }
            #expect(status.text("signedPayload") == test.text("signedPayload"))
            let items = try await history.items(["endDate": "4102444800000"])
            #expect(items.map(\.words) == ["TEST"] && items.map(\.results) == [["SUCCESS"]])
            // The control API shows the plain body, without signed parts.
            let listed = try await shop.control.send(ListNotifications(app: shop.app, limit: 100)).notifications
            let id = try #require(listed.first { $0.version == 1 }).notificationUUID
            let whole = try await shop.control.send(GetNotification(app: shop.app, notificationUUID: id))
            #expect(whole.payload?.tree == body && whole.signedPayload == nil)
            let resend = ResendNotifications(app: shop.app, notificationUUID: id)
            _ = try await shop.control.send(resend)
            let requests = try await history.receiver.requests(atLeast: 3)
            #expect(requests[2].body == requests[0].body)
            // After the endpoint has changed to version 2, nothing is resent.
            try await history.listen()
            #expect(try await shop.control.send(resend).pending == 0)
        }
    }

    @Test("With Apple's profile, the sandbox omits some types")
    func apple() async throws {
        for (environment, duration, types) in [
            (StoreEnvironment.sandbox, "6m", ["INITIAL_BUY"]),
            (.production, "32d", ["INITIAL_BUY", "DID_FAIL_TO_RENEW"]),
        ] {
            try await NotificationHistory.run(in: environment, settings: .apple, endpoint: nil) { history in
                let shop = Shop(history: history)
                try await history.freeze()
                try await history.listen("old", version: .one)
                try await shop.buy("basic")
                try await shop.setCard(.declinedForRenewals)
                try await history.advance(duration)
                #expect(try await shop.types() == types)
            }
        }
    }
}
