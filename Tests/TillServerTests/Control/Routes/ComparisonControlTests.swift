import Testing
import TillControl
import TillCore
import TillShop
import TillStorage
import TillTestSupport

@testable import TillServer

/// Checks the comparison of two snapshots, and of a snapshot with the current state.
@Suite("Comparison of snapshots, through the control API")
struct ComparisonControlTests {
    /// Runs a test on both engines with a frozen sandbox clock.
    private static func run(
        _ engine: TestEngine,
        _ body: @escaping @Sendable (TypedControl) async throws -> Void
    ) async throws {
        try await TypedControl.run(try await TestShop(on: engine, selling: SampleCatalog.control)) { control in
            _ = try await control.send(SetClock(app: control.app, mode: .frozen))
            try await body(control)
        }
    }

    /// `added transaction ann`, for each difference.
    private static func words(_ found: SnapshotComparison) -> [String] {
        found.differences.map { difference in
            [difference.change.rawValue, difference.object.rawValue, difference.customer].compactMap(\.self)
                .joined(separator: " ")
        }
    }

    @Test(
        "Added, changed and removed objects are found, with the fields before and after",
        arguments: TestEngine.allCases
    )
    func differences(_ engine: TestEngine) async throws {
        try await Self.run(engine) { control in
            let bought = try await control.buy("basic", by: "ann", offer: .noOffer)
            try await control.buy("coins", by: "bob")
            _ = try await control.send(SaveSnapshot(name: "first", bundleId: TestShop.bundleID))
            let none = try await control.send(CompareSnapshots(name: "first"))
            #expect(none.differences.isEmpty && none.next == nil && none.to == nil)
            #expect(none.bundleId == TestShop.bundleID)

            let change = CancelSubscription(app: control.app, originalTransactionId: bought.transactionId)
            _ = try await control.send(change)
            try await control.buy("solo", by: "cleo")
            _ = try await control.send(EraseCustomer(app: control.app, customer: "bob"))
            let now = try await control.send(CompareSnapshots(name: "first"))
            let words = Self.words(now)
            #expect(
                words.sorted() == [
                    "added customer cleo", "added notification ann", "added notification cleo",
                    "added transaction cleo",
                    "changed renewal ann", "removed customer bob", "removed notification bob",
                    "removed transaction bob",
                ],
                "\(words)"
            )
            let renewal = try #require(now.differences.first { $0.object == .renewal })
            let status = try #require(renewal.fields?.first { $0.name == "autoRenewStatus" })
            #expect((status.before, status.after) == ("1", "0"))
            #expect(renewal.transactionId == bought.transactionId && renewal.productId == "basic")

            _ = try await control.send(SaveSnapshot(name: "second"))
            _ = try await control.send(Reset())
            let saved = try await control.send(CompareSnapshots(name: "first", to: "second"))
            #expect(try saved.differences.map { try $0.json } == now.differences.map { try $0.json })
            let back = try await control.send(CompareSnapshots(name: "second", to: "first"))
            #expect(back.differences.count == saved.differences.count)
            #expect(back.differences.first { $0.customer == "cleo" }?.change == .removed)
        }
    }

    @Test("A refund changes a transaction", arguments: TestEngine.allCases)
    func refund(_ engine: TestEngine) async throws {
        try await Self.run(engine) { control in
            let bought = try await control.buy("solo", by: "ann")
            _ = try await control.send(SaveSnapshot(name: "first"))
            _ = try await control.send(RefundTransaction(app: control.app, transactionId: bought.transactionId))
            let found = try await control.send(CompareSnapshots(name: "first"))
            let row = try #require(found.differences.first { $0.object == .transaction })
            #expect(row.change == .changed && row.transactionId == bought.transactionId)
            #expect(row.fields?.contains { $0.name == "revocationDate" && $0.before == nil } == true)
        }
    }

    @Test("Two lives that went on differently from one snapshot differ, although their accounts are equal")
    func lives() async throws {
        try await Self.run(.sqlite) { control in
            _ = try await control.send(CreateCustomer(app: control.app, customer: "ann"))
            _ = try await control.send(SaveSnapshot(name: "start"))
            try await control.buy("coins", by: "ann")
            _ = try await control.send(SaveSnapshot(name: "first"))
            _ = try await control.send(RestoreSnapshot(name: "start"))
            try await control.buy("coins", by: "ann")
            let found = try await control.send(CompareSnapshots(name: "first"))
            let words = Self.words(found)
            #expect(words.contains("added transaction ann") && words.contains("removed transaction ann"), "\(words)")
        }
    }

    @Test("Transactions differ, although the accounts and the transactions that changed last are equal")
    func earlierTransactions() async throws {
        try await Self.run(.sqlite) { control in
            var ids: [String] = []
            for _ in 0..<3 { ids.append(try await control.buy("coins", by: "ann").transactionId) }
            _ = try await control.send(SaveSnapshot(name: "start"))
            func refund(_ places: [Int]) async throws {
                for id in places.map({ ids[$0] }) {
                    _ = try await control.send(RefundTransaction(app: control.app, transactionId: id))
                }
            }
            try await refund([0, 2])
            _ = try await control.send(SaveSnapshot(name: "first"))
            _ = try await control.send(RestoreSnapshot(name: "start"))
            try await refund([1, 2])
            let found = try await control.send(CompareSnapshots(name: "first"))
            let changed = found.differences.filter { $0.object == .transaction }
            #expect(changed.compactMap(\.transactionId) == Array(ids.prefix(2)))
        }
    }

    @Test("Pages of any length have the same differences", arguments: TestEngine.allCases)
    func pages(_ engine: TestEngine) async throws {
        try await Self.run(engine) { control in
            _ = try await control.send(SaveSnapshot(name: "empty"))
            for number in 0..<6 { try await control.buy("basic", by: "guest \(number)", offer: .noOffer) }
            let production = AppEnvironment(TestShop.bundleID, .production)
            try await control.buy("solo", by: "ann", in: production)
            _ = try await control.send(AdvanceClock(app: control.app, by: "P3M"))
            let all = try await control.send(CompareSnapshots(name: "empty", limit: 200))
            #expect(all.next == nil && all.differences.count > 60)
            for limit in [1, 7, 50] {
                var paged: [StateDifference] = []
                var next: String?
                repeat {
                    let page = try await control.send(CompareSnapshots(name: "empty", after: next, limit: limit))
                    #expect(page.differences.count <= limit)
                    paged += page.differences
                    next = page.next
                } while next != nil && paged.count <= all.differences.count
                #expect(try paged.map { try $0.json } == all.differences.map { try $0.json }, "\(limit)")
            }
        }
    }

    @Test("Purchases between two pages make no page list an object twice or omit one", arguments: TestEngine.allCases)
    func writes(_ engine: TestEngine) async throws {
        try await Self.run(engine) { control in
            _ = try await control.send(SaveSnapshot(name: "empty"))
            for number in 0..<5 { try await control.buy("coins", by: "guest \(number)") }
            let before = try await control.send(CompareSnapshots(name: "empty", limit: 200)).differences
            var found: [StateDifference] = []
            var next: String?
            var pages = 0
            repeat {
                let page = try await control.send(CompareSnapshots(name: "empty", after: next, limit: 2))
                found += page.differences
                next = page.next
                pages += 1
                if pages < 4 { try await control.buy("coins", by: "guest \(pages)") }
            } while next != nil && pages < 50
            let ids = { (all: [StateDifference]) in all.map { $0.notificationUUID ?? $0.transactionId ?? $0.customer } }
            #expect(Set(ids(before)).isSubset(of: ids(found)))
            #expect(Set(ids(found)).count == found.count, "no object is listed twice")
        }
    }

    @Test("An app that was deleted after the snapshot is compared as removed")
    func deletedApp() async throws {
        try await Self.run(.sqlite) { control in
            try await control.buy("basic", by: "ann", offer: .noOffer)
            _ = try await control.send(SaveSnapshot(name: "all"))
            _ = try await control.send(Reset(bundleId: TestShop.bundleID, everything: true))
            let found = try await control.send(CompareSnapshots(name: "all", bundleId: TestShop.bundleID))
            #expect(
                Self.words(found) == [
                    "removed customer ann", "removed renewal ann", "removed transaction ann",
                    "removed notification ann",
                ]
            )
        }
    }

    @Test("Of a customer with very many transactions, those that were read are compared")
    func manyTransactions() async throws {
        let test = try await TestShop(selling: SampleCatalog.control)
        let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
        let bought = try await test.buy("coins", by: "ann")
        let account = try #require(try await test.shop.storage.storedAccount(bought.account))
        let all = (0...Int64(AccountDifferences.maxTransactions)).map { number in
            var row = bought
            row.id = TransactionID(bought.id.number + number * Partition.count)
            row.change = number + 1
            return row
        }
        func differences(_ old: [Transaction], _ new: [Transaction]) throws -> [String?] {
            let pair = ComparisonRun.Pair(id: account.id, old: account, new: account)
            var found = AccountDifferences(control: test.controlAPI(), scope: scope, pair: pair)
            // As they are read: those that changed last.
            func read(_ rows: [Transaction]) -> [Transaction] {
                Array(rows.sorted { $0.change > $1.change }.prefix(AccountDifferences.maxTransactions))
            }
            try found.compare(read(old), read(new))
            return found.differences.map { "\($0.change.rawValue) \($0.transactionId ?? "")" }
        }
        #expect(try differences(all, all).isEmpty)
        // The newest is added. The oldest one that was read before is now too old to be read, and was not removed.
        #expect(try differences(all.dropLast(), all) == ["added \(try #require(all.last).id.wireForm)"])
        #expect(try differences(all, all.dropLast()) == ["removed \(try #require(all.last).id.wireForm)"])
        // The oldest changes, and was not read before.
        var changed = all
        changed[0].change = try #require(all.last).change + 1
        #expect(try differences(all, changed).isEmpty)
    }

    @Test("Unknown snapshots, apps of other snapshots and positions are refused")
    func refusals() async throws {
        try await TypedControl.run { control in
            _ = try await control.send(CreateApp(bundleId: "com.example.other", issuerId: control.test.app.issuerID))
            _ = try await control.send(SaveSnapshot(name: "all"))
            _ = try await control.send(SaveSnapshot(name: "one", bundleId: TestShop.bundleID))
            let unknown = CompareSnapshots(name: "all", to: "none", bundleId: TestShop.bundleID)
            try await control.expectRefusal(404, "unknown_snapshot", of: unknown)
            try await control.expectRefusal(400, "which_app", of: CompareSnapshots(name: "all"))
            let strange = CompareSnapshots(name: "all", bundleId: "com.example.none")
            try await control.expectRefusal(404, "unknown_app", of: strange)
            let other = CompareSnapshots(name: "all", to: "one", bundleId: "com.example.other")
            try await control.expectRefusal(400, "other_app_in_snapshot", of: other)
            #expect(try await control.send(CompareSnapshots(name: "all", to: "one")).differences.isEmpty)
            for after in ["x", "1-2", "5-0-1-1", "0-2-1-1"] {
                try await control.expectRefusal(400, "bad_page", of: CompareSnapshots(name: "one", after: after))
            }
        }
    }
}
