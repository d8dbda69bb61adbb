import Foundation
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole
@testable import TillSQLite

/// A page reads as many rows in a shop with very many customers as in a shop with a thousand customers.
@Suite("The cost of a page does not depend on the amount of data", .serialized)
struct PageCostTests {
    /// The filters to test for each page.
    private static let queries: [String: [[(name: String, value: String)]]] = [
        "/console/apps/{bundleId}/{environment}/notifications": filters,
        "/console/search": searches.map { [("q", $0)] },
        "/console/comparison": comparisons,
    ]

    /// A name, beginnings of many, few and no names, the UUID of a notification, and app account tokens of ten customers
    /// and of none.
    private static let searches = [
        "ann", "c", "c00000", "nobody", "00000001-0000-4000-8000-000000000001", "00000007-1111-4000-8000-000000000000",
        "00000000-0000-4000-8000-000000000009",
    ]

    /// Everything was added, nothing differs (so that a page ends at the limit of what it reads), and the notifications of
    /// the sandbox.
    private static let comparisons: [[(name: String, value: String)]] = [
        [("from", "empty")], [("from", "equal")], [("from", "empty"), ("to", "equal")],
        [("from", "empty"), ("after", notifications)], [("from", "equal"), ("after", notifications)],
        [("from", "empty"), ("to", "equal"), ("after", notifications)],
    ]

    /// The position of the first notification of the sandbox.
    private static let notifications = "\(StoreEnvironment.allCases.firstIndex(of: .sandbox) ?? 0)-1-0-0"

    private static let filters: [[(name: String, value: String)]] = [
        [], [("type", "SUBSCRIBED")], [("type", "REFUND")], [("type", "SUBSCRIBED/RESUBSCRIBE")],
        [("customer", LargeShop.customer)], [("customer", LargeShop.customer), ("type", "REFUND")],
        [("failed", "true")], [("failed", "true"), ("type", "REFUND")], [("endpoint", "primary")],
        [("endpoint", "primary"), ("type", "REFUND")], [("endpoint", "primary"), ("type", "SUBSCRIBED/RESUBSCRIBE")],
        [("failed", "true"), ("customer", LargeShop.customer)],
    ]

    /// The SQLite steps of each page and of each filtered list, by statement.
    private func costs(customers: Int, notifications: Int) async throws -> [(name: String, steps: [String: Int])] {
        let site = try await LargeShop.make(customers: customers, notifications: notifications)
        let storage = try #require(site.test.shop.storage as? SQLiteStorage)
        let query = NotificationQuery(
            scope: AccountScope(environment: .sandbox, app: TestShop.bundleID),
            isDescending: true,
            limit: 1
        )
        let notifications = try await storage.notifications(query)
        let newest = try #require(notifications.first)
        let values = LargeShop.scope.merging([
            "customer": LargeShop.customer, "notificationUUID": newest.uuid, "productId": "pro",
            "transactionId": try #require(newest.transaction).wireForm,
        ]) { $1 }
        let (plain, missing) = EveryPage.addresses(values)
        // The request log has a fixed size, so request pages are not tested.
        #expect(missing.isSubset(of: ["id", "requestId"]), "\(missing)")
        var addresses = plain
        addresses.append(Address.of("/console/search", values, query: [("q", values["transactionId"] ?? "")]))
        for page in ConsolePage.all {
            for query in Self.queries[page.path] ?? [] { addresses.append(Address.of(page.path, values, query: query)) }
        }
        let customers = try await site.console.control.send(ListCustomers(app: AppEnvironment(TestShop.bundleID)))
        let next = try #require(customers.next)
        addresses.append(
            Address.of(
                "/console/apps/{bundleId}/{environment}/customers",
                values,
                query: [(name: "after", value: next)]
            )
        )
        let session = Session(cookie: "a session that opens every page")
        let counter = try await StepCounter(storage)
        var costs: [(name: String, steps: [String: Int])] = []
        for address in addresses {
            // The first run prepares the statements, the second one is counted.
            for _ in 0..<2 {
                _ = counter.take()
                _ = try await site.console.page(at: address, session)
            }
            // UUIDs differ between shops.
            costs.append((address.replacing(newest.uuid, with: "UUID"), counter.take()))
        }
        for filter in Self.filters {
            for _ in 0..<2 {
                _ = counter.take()
                let list = ListNotifications.operationID
                _ = try await site.console.control.perform(list, LargeShop.scope, query: filter)
            }
            costs.append(("listNotifications \(filter)", counter.take()))
        }
        return costs
    }

    /// The size of the large shop. `TILL_LARGE_SHOP=100000` takes half a minute, and prints the steps.
    private static let given = ProcessInfo.processInfo.environment["TILL_LARGE_SHOP"].flatMap { Int($0) }
    private static let customers = given ?? 20_000

    @Test("Pages cost the same with many customers as with few")
    func pages() async throws {
        let few = try await costs(customers: 1_000, notifications: 10_000)
        let many = try await costs(customers: Self.customers, notifications: 10 * Self.customers)
        #expect(few.map(\.name) == many.map(\.name))
        for (small, large) in zip(few, many) {
            let (before, after) = (small.steps.values.reduce(0, +), large.steps.values.reduce(0, +))
            if Self.given != nil { print("\(small.name): \(before) and \(after) steps") }
            let grown = large.steps.filter { $0.value > 100 + (small.steps[$0.key] ?? 0) * 11 / 10 }
            #expect(after <= before * 105 / 100 + 50, "\(small.name): \(before) and \(after) steps; \(grown)")
        }
    }
}
