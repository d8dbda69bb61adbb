import Foundation
import Testing
import TillControl
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@testable import TillServer

/// Checks the search over customers, transactions, orders, tokens, notifications and requests.
@Suite("Search, through the control API")
struct SearchControlTests {
    private static let other = "com.example.other"
    private static let token = "7e3fb204-2a1b-4f0f-8d6f-9f5a1c2d3e4f"

    /// Runs a test with two apps that have the same catalog.
    private static func run(_ body: @escaping @Sendable (TypedControl) async throws -> Void) async throws {
        try await TypedControl.run { control in
            let issuer = control.test.app.issuerID
            _ = try await control.send(CreateApp(bundleId: other, issuerId: issuer))
            let catalog = try await control.send(GetCatalog(bundleId: TestShop.bundleID))
            _ = try await control.till.upload(PutCatalog(bundleId: other), catalog)
            _ = try await control.send(SetClock(app: control.app, mode: .frozen))
            try await body(control)
        }
    }

    private static func kinds(_ results: SearchResults) -> [SearchMatchKind] { results.matches.map(\.kind) }

    @Test("Each identifier leads to its object")
    func identifiers() async throws {
        try await Self.run { control in
            let bought = try await control.buy("basic", by: "ann", offer: .noOffer)
            _ = try await control.send(AdvanceClock(app: control.app, by: "P1M"))
            let rows = try await control.send(ListTransactions(app: control.app, customer: "ann")).transactions
            let renewal = try #require(rows.first { $0.transactionReason == .renewal })
            let first = try await control.send(Search(value: bought.transactionId))
            #expect(Self.kinds(first) == [.originalTransaction] && first.next == nil)
            #expect(first.matches[0].customer == "ann" && first.matches[0].productId == "basic")
            let later = try await control.send(Search(value: " \(renewal.transactionId)\n"))
            #expect(Self.kinds(later) == [.transaction])
            let order = try await control.send(Search(value: try #require(renewal.orderId).lowercased()))
            #expect(Self.kinds(order) == [.order] && order.matches[0].transactionId == renewal.transactionId)
            let customer = try await control.send(Search(value: bought.appTransactionId))
            #expect(Self.kinds(customer) == [.customer] && customer.matches[0].isExact)
            let sent = try await control.send(ListNotifications(app: control.app)).notifications
            let uuid = try #require(sent.first?.notificationUUID)
            let notification = try await control.send(Search(value: uuid.uppercased()))
            #expect(Self.kinds(notification) == [.notification] && notification.matches[0].customer == "ann")
            #expect(notification.matches[0].notificationType?.hasPrefix(sent[0].notificationType) == true)
            #expect(notification.matches[0].transactionId == sent[0].transactionId)
            let unknown = try await control.send(Search(value: UUID().uuidString))
            #expect(unknown.matches.isEmpty && unknown.next == nil)
        }
    }

    @Test("An app account token leads to its customers, and a request id to the request, in both environments")
    func tokens() async throws {
        try await Self.run { control in
            let production = AppEnvironment(TestShop.bundleID, .production)
            for (app, customer) in [(control.app, "ann"), (control.app, "bob"), (production, "ann")] {
                for _ in 0..<2 {
                    _ = try await control.send(
                        BuyProduct(app: app, customer: customer, productId: "coins", appAccountToken: Self.token)
                    )
                }
            }
            let all = try await control.send(Search(value: Self.token.uppercased()))
            #expect(Self.kinds(all) == [.appAccountToken, .appAccountToken, .appAccountToken])
            #expect(all.matches.compactMap(\.customer).sorted() == ["ann", "ann", "bob"])
            let sandbox = try await control.send(Search(value: Self.token, environment: .sandbox))
            #expect(sandbox.matches.compactMap(\.customer).sorted() == ["ann", "bob"])
            #expect(try await control.send(Search(value: Self.token, bundleId: Self.other)).matches.isEmpty)
            // The owners of the other environment, who come first, fill no page.
            let one = try await control.send(Search(value: Self.token, environment: .production, limit: 1))
            #expect(one.matches.map(\.customer) == ["ann"])
            var paged: [SearchMatch] = []
            var next: String?
            repeat {
                let page = try await control.send(Search(value: Self.token, after: next, limit: 1))
                #expect(page.matches.count <= 1)
                paged += page.matches
                next = page.next
            } while next != nil
            #expect(try paged.map { try $0.json } == all.matches.map { try $0.json })
            let id = RequestID.make()
            await control.test.shop.requestLog.note(
                RequestLogEntry(
                    id: id,
                    at: control.test.now,
                    environment: .sandbox,
                    method: "GET",
                    path: "/inApps/v1/subscriptions/1",
                    status: 401,
                    explanation: "no token"
                )
            )
            for value in [id, id.lowercased()] {
                let request = try await control.send(Search(value: value))
                #expect(Self.kinds(request) == [.request] && request.matches[0].requestId == id)
            }
            #expect(try await control.send(Search(value: id, environment: .sandbox)).matches.count == 1)
            #expect(try await control.send(Search(value: id, environment: .production)).matches.isEmpty)
            #expect(try await control.send(Search(value: id, bundleId: TestShop.bundleID)).matches.isEmpty)
        }
    }

    @Test("Exact names are first; the beginning of a name finds every customer once, in pages")
    func names() async throws {
        try await Self.run { control in
            let production = AppEnvironment(TestShop.bundleID, .production)
            let other = AppEnvironment(Self.other)
            for number in 0..<7 {
                _ = try await control.send(CreateCustomer(app: control.app, customer: "ann \(number)"))
            }
            for app in [control.app, production, other] {
                _ = try await control.send(CreateCustomer(app: app, customer: "ann"))
            }
            _ = try await control.send(CreateCustomer(app: control.app, customer: "Ann"))
            let all = try await control.send(Search(value: "ann"))
            #expect(all.matches.count == 10 && all.next == nil)
            #expect(all.matches.map(\.isExact) == Array(repeating: true, count: 3) + Array(repeating: false, count: 7))
            let prefix = try await control.send(Search(value: "an"))
            #expect(prefix.matches.count == 10 && !prefix.matches.contains(where: \.isExact))
            for (value, expected) in [("ann", all), ("an", prefix)] {
                for limit in [1, 3, 4] {
                    var paged: [SearchMatch] = []
                    var next: String?
                    repeat {
                        let page = try await control.send(Search(value: value, after: next, limit: limit))
                        #expect(page.matches.count <= limit)
                        paged += page.matches
                        next = page.next
                    } while next != nil
                    #expect(try paged.map { try $0.json } == expected.matches.map { try $0.json }, "\(value) \(limit)")
                }
            }
        }
    }

    @Test("A page continues after a customer who was erased")
    func erased() async throws {
        try await Self.run { control in
            let names = (0..<9).map { "guest \($0)" }
            for name in names { _ = try await control.send(CreateCustomer(app: control.app, customer: name)) }
            let first = try await control.send(Search(value: "guest", limit: 4))
            let last = try #require(first.matches.last?.customer)
            _ = try await control.send(EraseCustomer(app: control.app, customer: last))
            let rest = try await control.send(Search(value: "guest", after: first.next, limit: 50))
            #expect(rest.next == nil)
            let found = (first.matches + rest.matches).compactMap(\.customer)
            #expect(Set(found) == Set(names) && !rest.matches.contains { $0.customer == last })
        }
    }

    @Test("Pages of an order have every transaction of it")
    func orders() async throws {
        try await Self.run { control in
            func buy(_ order: String?) async throws -> PurchaseInfo {
                try await control.send(
                    BuyProduct(app: control.app, customer: "ann", productId: "coins", orderId: order)
                )
            }
            let order = try #require(try await buy(nil).transaction?.orderId)
            for _ in 0..<4 { _ = try await buy(order) }
            for limit in [1, 2, 5, 50] {
                var found: [String?] = []
                var next: String?
                repeat {
                    let page = try await control.send(Search(value: order, after: next, limit: limit))
                    found += page.matches.map(\.transactionId)
                    next = page.next
                } while next != nil && found.count < 20
                #expect(found.count == 5 && Set(found).count == 5, "\(limit)")
            }
        }
    }

    @Test("A token for one app finds only what belongs to that app")
    func ownApp() async throws {
        let test = try await TestShop(selling: SampleCatalog.control)
        let caller = ControlCaller(test.controlAPI())
        _ = try await caller.send(CreateApp(bundleId: Self.other))
        let foreign = AppEnvironment(Self.other)
        let made = try await caller.send(CreateCustomer(app: foreign, customer: "ann"))
        _ = try await caller.send(CreateCustomer(app: AppEnvironment(TestShop.bundleID), customer: "anna"))
        await test.shop.requestLog.note(
            RequestLogEntry(
                id: "FOREIGN",
                at: test.now,
                environment: .sandbox,
                method: "GET",
                path: "/",
                status: 404,
                app: Self.other,
                explanation: "x"
            )
        )
        let (token, _) = try await test.shop.tokens.create("own", scope: .read, app: TestShop.bundleID)
        let limited = caller.acting(for: Principal(token))
        #expect(try await limited.send(Search(value: "ann")).matches.map(\.customer) == ["anna"])
        for value in [made.appTransactionId, "FOREIGN"] {
            #expect(try await caller.send(Search(value: value)).matches.count == 1)
            #expect(try await limited.send(Search(value: value)).matches.isEmpty, "\(value)")
        }
        await #expect(throws: ControlError.self) {
            _ = try await limited.send(Search(value: "ann", bundleId: Self.other))
        }
        // A position tells nothing about a customer of another app.
        let absent = try #require(Int64(made.appTransactionId)) + 1_024
        for position in ["2-\(made.appTransactionId)", "2-\(absent)"] {
            #expect(try await limited.send(Search(value: "zzz", after: position)).matches.isEmpty, "\(position)")
            #expect(try await limited.send(Search(value: "ann", after: position)).matches.count <= 1, "\(position)")
        }
    }

    @Test("A search refuses values and positions that cannot be searched for")
    func refusals() async throws {
        try await TypedControl.run { control in
            for value in ["", "  ", "a\u{7}b", String(repeating: "a", count: 129)] {
                try await control.expectRefusal(400, "bad_search", of: Search(value: value))
            }
            for after in ["x", "1", "9-0", "0-x", "2-5", "-1-0", "0--1", "0-0-", "+0-0"] {
                try await control.expectRefusal(400, "bad_page", of: Search(value: "ann", after: after))
            }
            try await control.expectRefusal(404, "unknown_app", of: Search(value: "ann", bundleId: "com.none"))
            try await control.expectRefusal(400, "bad_query", of: Search(value: "ann", limit: 101))
            #expect(try await control.send(Search(value: "' OR 1=1 --")).matches.isEmpty)
        }
    }
}
