import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Everything that an import writes is one change.
@Suite("An imported customer and its new products are written together", .timeLimit(.minutes(5)))
struct CustomerImportTests {
    /// The answers about a customer who bought a map, which no catalog has.
    private static func answers(_ id: String) -> [UInt8] {
        let row = """
            {"transactionId": "\(id)", "originalTransactionId": "\(id)", "bundleId": "\(TestShop.bundleID)",
             "environment": "Sandbox", "productId": "map", "type": "Non-Consumable", "storefront": "USA",
             "price": 1990, "currency": "USD", "purchaseDate": 1767225600000, "signedDate": 1767225600000}
            """
        return Array(
            #"{"answers": [{"bundleId": "x", "hasMore": false, "signedTransactions": [\#(row)]}]}"#.utf8
        )
    }

    private static func bring(_ name: CustomerName, _ id: String, to shop: Shop) async throws -> ImportedAccount {
        try await shop.importCustomer(name, from: answers(id), clockName: name.customer, isAnonymous: false)
    }

    /// The products in memory and those in the database.
    private static func products(of shop: Shop) async throws -> [[String]] {
        let stored = try await shop.storage.documents(.catalog).map { try $0.decoded(as: Catalog.self) }
        let both = [shop.registry.catalog(of: TestShop.bundleID), try #require(stored.first)]
        return both.map { $0.products.keys.sorted() }
    }

    /// A new account that is not written yet.
    private static func account(_ name: CustomerName, in test: TestShop) async throws -> Account {
        var ids = try await test.shop.identifiers.takeOrReserve(1)
        return Account(
            id: ids.account(in: name.partition),
            environment: name.scope.environment,
            app: name.scope.app,
            customer: name.customer,
            storefront: .unitedStates,
            at: test.now
        )
    }

    @Test("If the database refuses the customer's ids, no product and no clock is left", arguments: TestEngine.allCases)
    func refused(_ engine: TestEngine) async throws {
        let test = try await TestShop(on: engine, selling: [.coins])
        let (shop, zoe, yan) = (test.shop, test.customer("zoe"), test.customer("yan"))
        let clock = ClockName(zoe.scope, own: "zoe")
        // The import waits for this lock when all its checks are done.
        await shop.locks.named.lock([zoe.lockKey])
        let importing = Task { try await Self.bring(zoe, "300", to: shop) }
        while shop.clock(clock) == nil { try await Task.sleep(for: .milliseconds(5)) }
        // As another node would do.
        let other = try await Self.account(yan, in: test)
        let taken = ForeignIdentifier(.transaction, "300", in: yan.scope, of: other.id, own: 7)
        let change = Change(accounts: [AccountChange(account: other, before: nil)], foreignIdentifiers: [taken])
        try await shop.storage.commit([change])[0].get()
        shop.locks.named.unlock([zoe.lockKey])
        await #expect(throws: ImportRefused.identifierExists("300")) { try await importing.value }
        #expect(try await Self.products(of: shop) == [["coins"], ["coins"]])
        #expect(shop.clock(clock) == nil)
        let imported = try await Self.bring(zoe, "301", to: shop)
        #expect(imported.productsMade == ["map"] && imported.assumptions.isEmpty)
        #expect(try await Self.products(of: shop) == [["coins", "map"], ["coins", "map"]])
    }

    @Test("If the customer was created during the import, no product and no clock is left")
    func created() async throws {
        let test = try await TestShop(selling: [.coins])
        let (shop, zoe) = (test.shop, test.customer("zoe"))
        let clock = ClockName(zoe.scope, own: "zoe")
        await shop.locks.named.lock([zoe.lockKey])
        let importing = Task { try await Self.bring(zoe, "300", to: shop) }
        while shop.clock(clock) == nil { try await Task.sleep(for: .milliseconds(5)) }
        // The purchase waits for the same lock, so the account is written as another node would do.
        let other = try await Self.account(zoe, in: test)
        try await shop.storage.commit([Change(accounts: [AccountChange(account: other, before: nil)])])[0].get()
        shop.locks.named.unlock([zoe.lockKey])
        await #expect(throws: ImportRefused.customerExists("zoe")) { try await importing.value }
        #expect(try await Self.products(of: shop) == [["coins"], ["coins"]])
        #expect(shop.clock(clock) == nil)
    }
}
