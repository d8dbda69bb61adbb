import Testing
import TillCore
import TillStorage

@Suite("Every storage engine erases an account completely or not at all")
struct ErasureContractTests {
    @Test("An erasure deletes all data of an account and no data of another account", arguments: Engine.allCases)
    func whole(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        var accounts: [Account] = []
        for counter in 1...3 {
            let account = fixture.account("customer \(counter)", number: Int64(counter))
            let rows = (1...4).map { fixture.row(account, Int64(counter * 100 + $0)) }
            accounts.append(try await fixture.commit(account, rows: rows))
            for number in 0..<3 { try await fixture.notify(account, number: Int64(counter * 10 + number)) }
        }
        let scope = StorageFixture.scope
        let foreign = accounts.map { ForeignIdentifier(.transaction, $0.customer, in: scope, of: $0.id, own: 7) }
        try await storage.commit([Change(foreignIdentifiers: foreign)])[0].get()
        func known() async throws -> [Bool] {
            var known: [Bool] = []
            for row in foreign {
                #expect(try await storage.foreignIdentifier(.order, row.foreign, in: scope) == nil)
                let found = try await storage.foreignIdentifier(.transaction, row.foreign, in: scope)
                #expect(found == row || found == nil)
                known.append(found != nil)
            }
            return known
        }
        #expect(try await known() == [true, true, true])
        let gone = accounts[1]
        let all = Belongings(transactions: 4, notifications: 3, deliveries: 3)
        #expect(try await storage.belongings(of: gone.id) == all)

        var newer = gone
        newer.version += 1
        let stale = Change(erasure: Erasure(newer))
        guard case .failure(.conflict(gone.id)) = await storage.commit([stale])[0] else {
            Issue.record("a stale version was taken")
            return
        }
        #expect(try await storage.belongings(of: gone.id) == all)

        let change = Change(erasure: Erasure(gone))
        let results = await storage.commit([change, change])
        try results[0].get()
        guard case .failure(.conflict) = results[1] else {
            Issue.record("it was erased twice")
            return
        }
        #expect(try await storage.belongings(of: gone.id) == Belongings())
        #expect(try await storage.account(gone.id) == nil)
        #expect(try await known() == [true, false, true])
        #expect(
            try await storage.dueDeliveries(
                to: "primary",
                on: ClockName(StorageFixture.scope),
                until: Timestamp(milliseconds: 1_000),
                limit: 100
            ).deliveries.count == 6
        )
        for other in [accounts[0], accounts[2]] { #expect(try await storage.belongings(of: other.id) == all) }
    }

    @Test(
        "The request log can be read from a number on, and an erasure deletes the account's entries",
        arguments: Engine.allCases
    )
    func requestLog(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        let account = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        let entries = (1...5).map { number in
            RequestLogEntry(
                id: "id \(number)",
                at: Timestamp(milliseconds: 1),
                environment: .sandbox,
                method: "GET",
                path: "/",
                status: 401,
                explanation: "no"
            )
        }
        try await storage.appendRequestLog(entries, keeping: 100)
        let first = try await storage.requestLog(after: 0, limit: 2)
        let rest = try await storage.requestLog(after: first[1].number, limit: 100)
        #expect((first + rest).map(\.entry) == entries)
        let erasure = Erasure(account, requestLog: [first[0].number, rest[2].number])
        try await storage.commit([Change(erasure: erasure)])[0].get()
        #expect(try await storage.requestLog(limit: 10).map(\.id) == ["id 4", "id 3", "id 2"])
    }

    @Test("A snapshot reports whether it contains a customer", arguments: Engine.allCases)
    func snapshots(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        _ = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        for name in ["b", "a"] {
            _ = try await fixture.storage.save(Snapshot(name: name, app: nil, savedAt: Timestamp(milliseconds: 1)))
        }
        let scope = StorageFixture.scope
        #expect(try await fixture.storage.snapshots(holding: "ann", in: scope) == ["a", "b"])
        #expect(try await fixture.storage.snapshots(holding: "an", in: scope) == [])
        let other = AccountScope(environment: .production, app: scope.app)
        #expect(try await fixture.storage.snapshots(holding: "ann", in: other) == [])
    }
}
