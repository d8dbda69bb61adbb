import Testing
import TillCore
import TillStorage

@Suite("Every storage engine restores exactly what was saved")
struct SnapshotContractTests {
    private static let other = AccountScope(environment: .production, app: "com.other")

    /// Creates two apps with accounts, transactions, redemptions, notifications, deliveries and documents.
    private func twoApps(_ fixture: StorageFixture) async throws {
        for (counter, scope) in [(1, StorageFixture.scope), (20, Self.other)] {
            for number in 0..<3 {
                let account = fixture.account("customer \(number)", number: Int64(counter + number), in: scope)
                let rows = (1...4).map { fixture.row(account, Int64(counter * 100 + number * 10 + $0)) }
                _ = try await fixture.commit(account, rows: rows)
                try await fixture.notify(account, number: Int64(counter + number))
            }
            let redemption = CodeRedemption(
                app: scope.app,
                environment: scope.environment,
                productID: "pro",
                offerID: "SPRING",
                limit: 5
            )
            let ann = fixture.account("customer 0", number: Int64(counter), in: scope)
            let foreign = ForeignIdentifier(.transaction, "\(counter)", in: scope, of: ann.id, own: 7)
            let change = Change(redemptions: [redemption], foreignIdentifiers: [foreign])
            try await fixture.storage.commit([change])[0].get()
            try await fixture.storage.put([
                Document(kind: .app, name: scope.app, app: scope.app, body: "1"),
                Document(kind: .clock, name: "sandbox/\(scope.app)", app: scope.app, body: "2"),
            ])
        }
        try await fixture.storage.put([
            Document(kind: .team, name: "team", body: "3"), Document(kind: .shop, name: "seed", body: "4"),
            Document(kind: .chain, name: "chain", body: "5"),
        ])
    }

    /// The rows of a snapshot, by table.
    private func rows(_ name: String, _ storage: any Storage) async throws -> [ShopTable: [TableRow]] {
        var all: [ShopTable: [TableRow]] = [:]
        for table in ShopTable.allCases {
            var place: Int64?
            while true {
                let page = try await storage.rows(of: table, in: name, after: place, limit: 3)
                guard let last = page.last else { break }
                all[table, default: []] += page.map(\.row)
                place = last.place
            }
        }
        return all
    }

    private func dump(_ app: String?, _ storage: any Storage) async throws -> [ShopTable: [TableRow]] {
        _ = try await storage.save(snapshot(".dump", app))
        return try await rows(".dump", storage)
    }

    private func snapshot(_ name: String, _ app: String?) -> Snapshot {
        Snapshot(name: name, app: app, savedAt: Timestamp(milliseconds: 7))
    }

    @Test("A restored app is unchanged, and no other app is affected", arguments: Engine.allCases)
    func app(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        try await twoApps(fixture)
        let app = StorageFixture.scope.app
        let saved = try await storage.save(snapshot("fresh", app))
        #expect([saved.customers, saved.transactions, saved.notifications] == [3, 12, 3])
        #expect(try await storage.snapshots() == [saved])
        let before = try await dump(app, storage)
        #expect(Set(before.keys) == Set(ShopTable.allCases))

        let dan = fixture.account("dan", number: 90)
        _ = try await fixture.commit(dan, rows: [fixture.row(dan, 990)])
        try await fixture.notify(dan, number: 90)
        try await storage.removeDocument(.clock, name: "sandbox/\(app)")
        try await storage.put([Document(kind: .fault, name: "f1", app: app, body: "6")])
        let neighbour = try await dump(Self.other.app, storage)
        #expect(try await dump(app, storage) != before)

        try await storage.restore(snapshot: "fresh")
        #expect(try await dump(app, storage) == before)
        #expect(try await dump(Self.other.app, storage) == neighbour)
        #expect(try await storage.account(dan.id) == nil)
        #expect(try await storage.documents(.team).count == 1)
    }

    @Test("The complete shop is restored, except its seed and its signing chains", arguments: Engine.allCases)
    func shop(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        try await twoApps(fixture)
        let findings = try await storage.examine()
        let saved = try await storage.save(snapshot("fresh", nil))
        #expect([saved.customers, saved.transactions, saved.notifications] == [6, 24, 6])
        let before = try await dump(nil, storage)
        #expect(before[.documents]?.count == 5)
        try await storage.put([
            Document(kind: .team, name: "another", body: "7"), Document(kind: .chain, name: "next", body: "8"),
        ])
        try await storage.erase(app: nil, documents: [.app, .clock])
        #expect(try await storage.documents(.app).isEmpty)
        #expect(try await storage.documents(.team).count == 2)
        #expect(try await storage.accounts(of: nil, after: nil, limit: 10).isEmpty)
        try await storage.restore(snapshot: "fresh")
        #expect(try await dump(nil, storage) == before)
        #expect(try await storage.documents(.chain).map(\.name) == ["chain", "next"])
        #expect(try await storage.documents(.shop).map(\.body) == ["4"])
        #expect(try await storage.examine() == findings)
    }

    @Test("Rows that are exported one by one are the same in another store", arguments: Engine.allCases)
    func imported(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        try await twoApps(fixture)
        let app = StorageFixture.scope.app
        let before = try await dump(app, fixture.storage)
        let target = try StorageFixture(engine)
        for table in ShopTable.allCases {
            try await target.storage.add(before[table] ?? [], of: table, to: snapshot("carried", app))
        }
        #expect(try await rows("carried", target.storage) == before)
        try await target.storage.restore(snapshot: "carried")
        #expect(try await dump(app, target.storage) == before)
        try await target.storage.reserveIdentifiers(below: 500)
        #expect(try await target.storage.reserveIdentifiers(1).lowerBound == 500)
        try await target.storage.reserveIdentifiers(below: 5)
        #expect(try await target.storage.reserveIdentifiers(1).lowerBound == 501)
    }

    @Test("An import that would overwrite data of another app changes nothing", arguments: Engine.allCases)
    func collision(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        try await twoApps(fixture)
        let storage = fixture.storage
        let app = StorageFixture.scope.app
        let mine = try await dump(app, storage)
        let before = try await dump(Self.other.app, storage)
        for table in [ShopTable.accounts, .ledger] {
            try await storage.add(before[table] ?? [], of: table, to: snapshot("stolen", app))
        }
        await #expect(throws: SnapshotFailure.collides(.accounts)) { try await storage.restore(snapshot: "stolen") }
        await #expect(throws: SnapshotFailure.unknown("unknown")) { try await storage.restore(snapshot: "unknown") }
        #expect(try await dump(app, storage) == mine)
        #expect(try await dump(Self.other.app, storage) == before)
    }

    @Test(
        "A snapshot with an existing name replaces the old one, and deleting a snapshot removes all its rows",
        arguments: Engine.allCases
    )
    func names(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        try await twoApps(fixture)
        _ = try await storage.save(snapshot("a", nil))
        let again = try await storage.save(snapshot("a", Self.other.app))
        #expect(try await storage.snapshots() == [again])
        _ = try await storage.save(snapshot("b", nil))
        try await storage.remove(snapshot: "a")
        try await storage.remove(snapshot: "a")
        #expect(try await storage.snapshots().map(\.name) == ["b"])
        for table in ShopTable.allCases {
            #expect(try await storage.rows(of: table, in: "a", after: nil, limit: 10).isEmpty)
        }
    }
}
