import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("Erasing a customer")
struct CustomerErasureTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)

    private func entry(_ id: String, _ path: String, _ explanation: String = "No.") -> RequestLogEntry {
        RequestLogEntry(
            id: id,
            at: Timestamp(milliseconds: 1),
            environment: .sandbox,
            method: "GET",
            path: path,
            status: 404,
            app: TestShop.bundleID,
            explanation: explanation
        )
    }

    @Test(
        "An erasure deletes everything about the customer and nothing else, and the name can be used again",
        arguments: TestEngine.allCases
    )
    func erased(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        let (shop, storage) = (test.shop, test.shop.storage)
        try await shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "http://127.0.0.1:9/a")]
        }
        let first = try await test.buy("coins", by: "ann", quantity: 2)
        try await test.buy("pro", by: "ann")
        try await test.buy("coins", by: "ann", in: .production)
        let bobs = try await test.buy("coins", by: "bob")
        let account = try #require(try await storage.account(first.account))
        _ = try await shop.trigger(Notice(.refund), about: first, of: account)
        await shop.requestLog.note(entry("1", "/inApps/v1/transactions/\(first.id.wireForm)"))
        await shop.requestLog.note(entry("2", "/inApps/v1/transactions/\(bobs.id.wireForm)"))
        await shop.requestLog.note(entry("3", "/x", "Order \(first.order?.wireForm ?? "") is none."))
        await shop.requestLog.note(entry("4", "/x/\(first.id.wireForm)9"))

        let dry = try await shop.eraseCustomer(test.customer("ann"), isDryRun: true)
        #expect(try await storage.account(account.id) != nil)
        let erased = try await shop.eraseCustomer(test.customer("ann"))
        #expect(erased.belongings == Belongings(transactions: 2, notifications: 3, deliveries: 3))
        #expect(dry.belongings == erased.belongings && dry.requestLogEntries == 2 && erased.requestLogEntries == 2)

        #expect(try await storage.account(account.id) == nil)
        #expect(try await storage.transaction(first.id) == nil)
        #expect(try await storage.belongings(of: account.id) == Belongings())
        let left = try await storage.notifications(NotificationQuery(scope: Self.scope))
        #expect(left.map(\.account) == [bobs.account])
        #expect(Set(try await shop.requestLog.latest(10).map(\.id)) == ["2", "4"])
        let other = try await storage.account(
            of: CustomerName(AccountScope(environment: .production, app: TestShop.bundleID), "ann")
        )
        #expect(other?.rowCount == 1)
        #expect(try await storage.examine() == [])

        let again = try await test.buy("coins", by: "ann")
        #expect(again.account > account.id && again.id > bobs.id)
        await #expect(throws: Refusal.unknownAccount("unknown")) {
            try await shop.eraseCustomer(test.customer("unknown"))
        }
    }

    /// Bob loses what Ann shared. Cat loses what Ann and Bob shared, because the family ends with its organizer.
    @Test(
        "Family members lose the shared products and are notified, but never about the erased customer",
        arguments: TestEngine.allCases
    )
    func family(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        let (shop, storage) = (test.shop, test.shop.storage)
        let product = try #require(SampleCatalog.all.first { $0.isFamilyShareable && $0.type == .nonConsumable })
        let bought = try await test.buy(product.id, by: "ann")
        let own = try await test.buy(product.id, by: "bob")
        for member in ["bob", "cat"] {
            _ = try await shop.perform(
                .joinFamily(of: bought.account, named: "millers"),
                by: test.customer(member),
                opening: Opening()
            )
        }
        let erased = try await shop.eraseCustomer(test.customer("ann"))
        #expect(erased.family == "millers")
        #expect(erased.notifications.map(\.type) == [.revoke, .revoke, .revoke])
        #expect(!erased.notifications.map(\.account).contains(bought.account))
        let bob = try #require(try await storage.account(own.account))
        #expect(bob.family == nil && bob.productsOwned == [product.id])
        let cat = try await storage.account(
            of: CustomerName(AccountScope(environment: .sandbox, app: TestShop.bundleID), "cat")
        )
        #expect(cat?.family == nil && cat?.productsOwned == [])
        #expect(try await storage.examine() == [])
        let notifications = try await storage.notifications(NotificationQuery(scope: Self.scope))
        #expect(!notifications.map(\.account).contains(bought.account))
    }

    @Test("The family continues without the erased member", arguments: TestEngine.allCases)
    func member(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        let host = try await test.buy("coins", by: "ann")
        for member in ["bob", "cat"] {
            let join = Command.joinFamily(of: host.account, named: "millers")
            _ = try await test.shop.perform(join, by: test.customer(member), opening: Opening())
        }
        _ = try await test.shop.eraseCustomer(test.customer("bob"))
        let ann = try #require(try await test.shop.storage.account(host.account))
        #expect(ann.family?.members.count == 2)
        #expect(try await test.shop.storage.examine() == [])
    }

    @Test("Snapshots that contain the customer are listed, and deleted on request", arguments: TestEngine.allCases)
    func snapshots(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        try await test.buy("coins", by: "bob")
        _ = try await test.shop.snapshots.save("before", of: nil)
        try await test.buy("coins", by: "ann")
        for name in ["all", "app"] {
            _ = try await test.shop.snapshots.save(name, of: name == "app" ? TestShop.bundleID : nil)
        }
        #expect(try await test.shop.eraseCustomer(test.customer("ann")).snapshots == ["all", "app"])
        let dry = try await test.shop.eraseCustomer(test.customer("ann"), removingSnapshots: true, isDryRun: true)
        #expect(dry.removedSnapshots == ["all", "app"] && dry.snapshots == [])
        #expect(try await test.shop.snapshots.all().count == 3)
        let gone = try await test.shop.eraseCustomer(test.customer("ann"), removingSnapshots: true)
        #expect(gone.removedSnapshots == ["all", "app"] && gone.belongings == Belongings())
        #expect(try await test.shop.snapshots.all().map(\.name) == ["before"])
    }

    @Test(
        "A purchase during an erasure happens completely before it, or for a new customer",
        arguments: TestEngine.allCases
    )
    func race(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        try await test.buy("coins", by: "ann")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<12 { group.addTask { try await test.buy("coins", by: "ann") } }
            for _ in 0..<3 {
                group.addTask {
                    do { _ = try await test.shop.eraseCustomer(test.customer("ann")) } catch is Refusal {}
                }
            }
            try await group.waitForAll()
        }
        #expect(try await test.shop.storage.examine() == [])
    }
}
