import Testing
import TillControl
import TillCore
import TillJSON
import TillSigning
import TillTestSupport

/// The operation that creates a customer from the answers of another server (docs/client/import.md).
@Suite("A customer of another server can be imported")
struct ImportControlTests {
    /// The answers of a server about a customer.
    static func answers(_ id: String, from server: AppServer, order: String? = nil) async throws
        -> CustomerAnswers
    {
        func get(_ path: String) async throws -> JSONObject { JSONObject(try await server.apple.json(path)) }
        var answers = CustomerAnswers(
            answers: [
                try await get("/inApps/v2/history/\(id)"), try await get("/inApps/v1/subscriptions/\(id)"),
                try await get("/inApps/v2/refund/lookup/\(id)"),
                try await get("/inApps/v1/transactions/appTransactions/\(id)"),
            ],
            historyV1: [try await get("/inApps/v1/history/\(id)")]
        )
        if let order {
            answers.orders = [OrderAnswer(orderId: order, answer: try await get("/inApps/v1/lookup/\(order)"))]
        }
        return answers
    }

    /// Runs a test with a server on which ann bought, and another server.
    private static func run(
        selling products: [Product] = SampleCatalog.apple,
        _ body: @escaping @Sendable (AppServer, AppServer, TransactionInfo) async throws -> Void
    ) async throws {
        try await AppServer.run(in: .production) { source in
            let bought = try await source.buy("pro", by: "ann")
            try await source.setToken("7f4a7c15-0000-4000-8000-000000000001", of: bought.transactionId)
            let coins = try await source.buyMany("coins", by: "ann", 2)
            try await source.refund(coins[0])
            try await source.finish(coins[1])
            try await AppServer.run(in: .production, selling: products) { try await body(source, $0, bought) }
        }
    }

    static func bring(
        _ customer: String,
        _ answers: CustomerAnswers,
        to server: AppServer,
        anonymize: Bool? = nil
    ) async throws -> CustomerImportInfo {
        let request = ImportCustomer(app: server.app, customer: customer, anonymize: anonymize)
        return try await server.control.till.upload(request, answers)
    }

    private static func refusal(
        _ customer: String,
        _ answers: CustomerAnswers,
        by server: AppServer
    ) async throws -> TypedControl.Refusal? {
        do {
            _ = try await bring(customer, answers, to: server)
            return nil
        } catch let failure as ControlFailure {
            return TypedControl.Refusal(failure.status, failure.error.code)
        }
    }

    @Test("The answers about an imported customer have the ids of the source, and so have later transactions")
    func ids() async throws {
        try await Self.run { source, target, bought in
            let order = try #require(bought.orderId)
            let answers = try await Self.answers(bought.transactionId, from: source, order: order)
            let report = try await Self.bring("zoe", answers, to: target)
            #expect(report.transactions == 3 && report.subscriptions == 1 && report.quarantined.isEmpty)
            #expect(report.clock == "zoe" && report.productsCreated.isEmpty && report.differences.isEmpty)
            let id = bought.transactionId
            #expect(report.appTransactionId == bought.appTransactionId)
            #expect(try await target.history(report.appTransactionId) == (try await source.history(id)))
            let looked = try await target.apple.json("/inApps/v1/lookup/\(order)")
            #expect(looked["signedTransactions"]?.elements.count == 1)
            let refunds = try await target.whole("/inApps/v2/refund/lookup/\(id)")
            #expect(refunds.ids == (try await source.whole("/inApps/v2/refund/lookup/\(id)").ids))
            // Operations of the control API and of the clock take and show the same ids.
            let shown = try await target.control.send(GetTransaction(app: target.app, transactionId: id))
            #expect(shown.customer == "zoe" && shown.orderId == order && shown.originalTransactionId == id)
            let later = report.now.advanced(milliseconds: 40 * 86_400_000)
            _ = try await target.control.send(AdvanceClock(app: target.app, clock: "zoe", to: later))
            let rows = try await target.whole("/inApps/v2/history/\(id)").transactions
            let renewal = try #require(rows.last)
            #expect(rows.count == 4 && renewal.text("originalTransactionId") == id)
            #expect(renewal.text("appTransactionId") == bought.appTransactionId)
            #expect(renewal.text("appAccountToken") == "7f4a7c15-0000-4000-8000-000000000001")
            #expect(Set(rows.compactMap { $0.text("transactionId") }).count == 4)
            try await target.refund(try #require(renewal.text("transactionId")), id)
            // The list of notifications has the ids in the payloads.
            let list = ListNotifications(app: target.app, customer: "zoe")
            let listed = try await target.control.send(list).notifications
            #expect(Set(listed.compactMap(\.originalTransactionId)) == [id] && listed.count == 3)
            for info in listed {
                let got = GetNotification(app: target.app, notificationUUID: info.notificationUUID)
                let payload = try #require(try await target.control.send(got).transactionInfo).tree
                #expect(info.transactionId == payload.text("transactionId"))
                #expect(info.originalTransactionId == payload.text("originalTransactionId"))
            }
        }
    }

    @Test("Ids that exist are refused, and an anonymous import has none of the source's ids and tokens")
    func existing() async throws {
        try await Self.run { source, target, bought in
            let answers = try await Self.answers(bought.transactionId, from: source)
            _ = try await Self.bring("zoe", answers, to: target)
            #expect(try await Self.refusal("zoe", answers, by: target) == .init(409, "customer_exists"))
            #expect(try await Self.refusal("yan", answers, by: target) == .init(409, "identifier_exists"))
            #expect(try await Self.refusal("xi", answers, by: source) == .init(409, "identifier_exists"))
            let clocks = try await target.control.send(ListClocks(app: target.app)).compactMap(\.name)
            #expect(!clocks.contains("yan"), "a refused import leaves no clock")
            let report = try await Self.bring("yan", answers, to: target, anonymize: true)
            let rows = try await target.whole("/inApps/v2/history/\(report.appTransactionId)").transactions
            let theirs = try await source.whole("/inApps/v2/history/\(bought.transactionId)").transactions
            for key in ["transactionId", "originalTransactionId", "webOrderLineItemId", "appAccountToken"] {
                let known = Set(theirs.compactMap { $0.text(key) })
                #expect(known.isDisjoint(with: rows.compactMap { $0.text(key) }), "\(key)")
            }
            #expect(rows.map { $0.text("productId") } == theirs.map { $0.text("productId") })
            #expect(Set(rows.compactMap { $0.text("appAccountToken") }).count == 1)
        }
    }

    @Test("Every id that another customer has is refused: transactions, line items, orders and the app transaction")
    func shared() async throws {
        try await AppServer.run { server in
            /// The answers about a customer with one transaction.
            func answers(_ id: String, item: String, order: String, account: String) -> CustomerAnswers {
                let row = JSONTree.members([
                    "transactionId": .string(id), "originalTransactionId": .string(id),
                    "bundleId": .string(TestShop.bundleID), "environment": .string("Sandbox"),
                    "productId": .string("coins"), "type": .string("Consumable"), "storefront": .string("USA"),
                    "purchaseDate": .number("1767225600000"), "signedDate": .number("1767225600000"),
                    "webOrderLineItemId": .string(item), "appTransactionId": .string(account),
                ])
                let page = JSONTree.members([
                    "bundleId": .string(TestShop.bundleID), "hasMore": .bool(false),
                    "signedTransactions": .array([row]),
                ])
                let order = OrderAnswer(
                    orderId: order,
                    answer: JSONObject(.members(["status": .number("0"), "signedTransactions": .array([row])]))
                )
                return CustomerAnswers(answers: [JSONObject(page)], orders: [order])
            }
            let first = answers("300", item: "301", order: "MAAA", account: "302")
            _ = try await Self.bring("zoe", first, to: server)
            for (id, item, order, account) in [
                ("300", "401", "MBBB", "402"), ("400", "301", "MBBB", "402"), ("400", "401", "MAAA", "402"),
                ("400", "401", "MBBB", "302"),
            ] {
                let other = answers(id, item: item, order: order, account: account)
                #expect(try await Self.refusal("yan", other, by: server) == .init(409, "identifier_exists"))
            }
            let other = answers("400", item: "401", order: "MBBB", account: "402")
            #expect(try await Self.refusal("yan", other, by: server) == nil)
        }
    }

    @Test("Missing products are created, and what Till does not know is quarantined")
    func unknown() async throws {
        try await Self.run(selling: []) { source, target, bought in
            var answers = try await Self.answers(bought.transactionId, from: source)
            let history = try #require(answers.answers.first)
            var members = history.tree.members
            let place = try #require(members.firstIndex { $0.key == "signedTransactions" })
            let strange = JSONTree.members([
                "transactionId": .string("470001234567890"), "originalTransactionId": .string("470001234567890"),
                "bundleId": .string(TestShop.bundleID), "environment": .string("Production"),
                "purchaseDate": .number("1767225600000"), "type": .string("Physical Good"),
            ])
            members[place].value = .array(members[place].value.elements + [strange])
            answers.answers[0] = JSONObject(.object(members))
            let report = try await Self.bring("zoe", answers, to: target)
            #expect(report.productsCreated == ["coins", "pro"])
            #expect(report.quarantined.map(\.subject) == ["transaction 470001234567890"])
            #expect(report.quarantined.first?.reason.contains("Physical Good") == true)
            let made = try await target.control.send(GetCatalog(bundleId: TestShop.bundleID))
            let theirs = try await source.control.send(GetCatalog(bundleId: TestShop.bundleID))
            func period(_ catalog: CatalogInfo) -> String? {
                catalog.products.first { $0.productId == "pro" }?.subscription?.period
            }
            #expect(period(made) == period(theirs) && period(made) != nil)
            #expect(try await target.history(bought.transactionId).count == 3)
        }
    }

    @Test("A document that is not complete is refused")
    func incomplete() async throws {
        try await Self.run { source, target, bought in
            let answers = try await Self.answers(bought.transactionId, from: source)
            var members = try #require(answers.answers.first).tree.members
            let place = try #require(members.firstIndex { $0.key == "hasMore" })
            members[place].value = .bool(true)
            var partial = answers
            partial.answers[0] = JSONObject(.object(members))
            #expect(try await Self.refusal("zoe", partial, by: target) == .init(400, "incomplete_history"))
            partial.answers = Array(answers.answers.dropFirst().prefix(1))
            #expect(try await Self.refusal("zoe", partial, by: target) == .init(400, "bad_document"))
            partial.answers = [JSONObject(.members(["receipt": .string("MII")]))]
            #expect(try await Self.refusal("zoe", partial, by: target) == .init(400, "bad_document"))
        }
    }
}
