import Foundation
import Testing
import TillCore
import TillSQLite
import TillShop
import TillSigning
import TillStorage
import TillTestSupport

@Suite("The shop commits the decisions of the rules")
struct ShopTests {
    @Test("A hundred concurrent purchases of one customer succeed, and their history has no gap")
    func oneCustomer() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let ids = try await withThrowingTaskGroup(of: TransactionID.self) { group in
            for _ in 0..<100 { group.addTask { try await test.buy("coins", by: "ann").id } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(ids.count == 100)
        let account = try #require(try await test.sandbox.account(of: "ann"))
        #expect(account.rowCount == 100 && account.changeNumber == 100)
        let page = try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 200))
        #expect(page.rows.map(\.change) == Array(1...100))
        #expect(Set(page.rows.map(\.id)) == ids)
    }

    @Test("Concurrent customers share commits, and each keeps a separate history")
    func manyCustomers() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<300 { group.addTask { try await test.buy("coins", by: "customer-\(number % 60)") } }
            try await group.waitForAll()
        }
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let accounts = try await test.shop.storage.accounts(of: scope, after: nil, limit: 100)
        #expect(accounts.count == 60)
        #expect(accounts.allSatisfy { $0.rowCount == 5 && $0.changeNumber == 5 })
    }

    @Test("Two shops on one store do not overwrite each other")
    func twoShops() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let second = try await Shop(
            storage: try SQLiteStorage(path: test.directory.database),
            chain: test.shop.signingChain,
            wallClock: { test.now }
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                let shop = number % 2 == 0 ? test.shop : second
                group.addTask {
                    _ = try await shop.perform(
                        .purchase(Purchase(productID: "coins")),
                        by: test.customer("ann"),
                        opening: Opening()
                    )
                }
            }
            try await group.waitForAll()
        }
        let found = try await second.storage.account(
            of: CustomerName(AccountScope(environment: .sandbox, app: TestShop.bundleID), "ann")
        )
        let account = try #require(found)
        #expect(account.rowCount == 60 && account.changeNumber == 60)
    }

    @Test("A rejected command changes nothing, and creates no customer")
    func refusals() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        await #expect(throws: Refusal.unknownProduct("nothing")) { try await test.buy("nothing", by: "ann") }
        #expect(try await test.shop.storage.accounts(of: nil, after: nil, limit: 1).isEmpty)
        await #expect(throws: Refusal.unknownAccount("ann")) {
            _ = try await test.shop.perform(.leaveFamily, by: test.customer("ann"))
        }
    }

    @Test("No purchase, refund or new customer has a date later than the customer's clock")
    func laterThanClock() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let shop = test.shop
        let row = try await test.buy("coins", by: "ann")
        let later = test.now.advanced(milliseconds: 1)
        let refusal = Refusal.laterThanClock(at: later, now: test.now)
        let purchase = Command.purchase(Purchase(productID: "coins"))
        for command in [purchase, .refund(Refund(transaction: row.id)), .useCard(.declined), .leaveFamily] {
            await #expect(throws: refusal) {
                _ = try await shop.perform(command, by: test.customer("ann"), at: later)
            }
        }
        for name in ["ann", "bob"] {
            await #expect(throws: refusal) {
                _ = try await shop.perform(purchase, by: test.customer(name), at: later, opening: Opening())
            }
        }
        await #expect(throws: refusal) { _ = try await shop.openAccount(test.customer("bob"), Opening(), at: later) }
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let accounts = try await shop.storage.accounts(of: scope, after: nil, limit: 10)
        #expect(accounts.map(\.customer) == ["ann"] && accounts.first?.rowCount == 1)
        // While the customer's own clock is behind real time, that clock is the limit. When it shows real time, every
        // earlier date is possible.
        let own = ClockName(scope, own: "past")
        let past = test.now.advanced(milliseconds: -1_000)
        try await shop.createClock(own, .frozen(at: past))
        _ = try await shop.openAccount(test.customer("cem"), Opening(clock: "past"), at: past)
        await #expect(throws: Refusal.laterThanClock(at: test.now, now: past)) {
            _ = try await shop.perform(purchase, by: test.customer("cem"), at: test.now)
        }
        _ = try await shop.perform(purchase, by: test.customer("cem"), at: past)
        // A scheduled operation is executed when the clock reaches it.
        let job = try await shop.jobRunner.start(
            .shareProduct("pro"),
            in: scope,
            at: test.now.advanced(milliseconds: 1_000)
        )
        #expect(job.state == .waiting)
    }

    @Test("The accounts of a family change in one commit, and a new customer may join")
    func families() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let host = try await test.shop.openAccount(test.customer("ann"), Opening()).account
        try await withThrowingTaskGroup(of: Void.self) { group in
            for name in ["bob", "cat", "dan"] {
                group.addTask {
                    _ = try await test.shop.perform(
                        .joinFamily(of: host.id, named: "family"),
                        by: test.customer(name),
                        opening: Opening()
                    )
                }
            }
            try await group.waitForAll()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await test.buy("skin", by: "ann") }
            group.addTask { try await test.buy("pro", by: "bob") }
            try await group.waitForAll()
        }
        for name in ["ann", "bob", "cat", "dan"] {
            let account = try await test.sandbox.account(of: name)
            #expect(account?.family?.members.count == 4)
            #expect(account?.rowCount == 2)
            #expect(account?.productsOwned == ["skin"])
        }
    }

    @Test("A code can be redeemed only up to its limit, however many requests run concurrently")
    func codes() async throws {
        var coins = Product.coins
        let price = PriceList(standard: Money(milliunits: 10, currency: "USD"))
        coins.offers = [Offer(kind: .code, id: "TEN", mode: .oneTime, prices: price, redemptionLimit: 10)]
        let test = try await TestShop(selling: [coins])
        let redeemed = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<25 {
                group.addTask {
                    let purchase = Purchase(productID: "coins", offer: .code("TEN"))
                    let outcome = try? await test.shop.perform(
                        .purchase(purchase),
                        by: test.customer("c\(number)"),
                        opening: Opening()
                    )
                    return outcome != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(redeemed == 10)
    }

    @Test("Production and sandbox are separate data sets")
    func environments() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let row = try await test.buy("skin", by: "ann", in: .sandbox)
        let other = try await test.buy("skin", by: "ann", in: .production)
        #expect(row.id.wireForm.count == 16 && other.id.wireForm.count == 15)
        let production = AccountScope(environment: .production, app: TestShop.bundleID)
        #expect(try await test.shop.storage.owner(of: row.id, in: production) == nil)
    }

    @Test("A data directory belongs to one process; a second process gets an error with the id of the first")
    func locking() async throws {
        let test = try await TestShop()
        let lock = try DirectoryLock(test.directory)
        #expect(throws: DirectoryRefused.self) { try DirectoryLock(test.directory) }
        do {
            _ = try DirectoryLock(test.directory)
        } catch {
            #expect(String(describing: error).contains("\(ProcessInfo.processInfo.processIdentifier)"))
            #expect(String(describing: error).contains("--data"))
        }
        withExtendedLifetime(lock) {}
    }

    @Test("The certificates are created once and kept, and rotations stay under the same root")
    func certificates() async throws {
        let test = try await TestShop()
        let store = CertificateStore(test.directory)
        let root = try store.root()
        #expect(try store.root().fingerprint == root.fingerprint)
        let first = try store.currentChain()
        #expect(first.id == test.shop.signingChain.id)
        let second = try store.rotate(under: root, ocspURL: "http://localhost:1/ocsp")
        #expect(second.id != first.id)
        #expect(try store.currentChain().id == second.id)
        #expect(second.rootFingerprint == first.rootFingerprint)
        #expect(FileManager.default.fileExists(atPath: test.directory.chain(first.id).certificates))
    }

    @Test("A customer who leaves a clock ahead continues from the last event if no time is given")
    func ahead() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let (shop, ann) = (test.shop, test.customer("ann"))
        let ahead = test.now.advanced(milliseconds: 86_400_000)
        try await shop.createClock(ClockName(ann.scope, own: "ahead"), .frozen(at: ahead))
        _ = try await shop.openAccount(ann, Opening(clock: "ahead"))
        let row = try await test.buy("coins", by: "ann")
        #expect(row.purchaseDate == ahead.wholeSecond)
        _ = try await shop.perform(.useClock(nil), by: ann)
        let refunded = try await shop.perform(.refund(Refund(transaction: row.id)), by: ann)
        #expect(refunded.transaction?.revocation?.date == ahead.wholeSecond)
        await #expect(throws: Refusal.laterThanClock(at: ahead, now: test.now)) {
            _ = try await shop.perform(.reverseRefund(row.id), by: ann, at: ahead)
        }
    }
}
