import Testing
import TillCore
import TillStorage

@Suite("Every storage engine searches by names and identifiers")
struct SearchContractTests {
    private static let production = AccountScope(environment: .production, app: StorageFixture.scope.app)

    /// Pages of two customers each.
    private func names(_ prefix: String, in scope: AccountScope, _ storage: any Storage) async throws -> [String] {
        var names: [String] = []
        var last: FoundCustomer?
        while true {
            let page = try await storage.customers(prefix, in: scope, after: last, limit: 2)
            names += page.map(\.customer)
            guard page.count == 2 else { return names }
            last = page.last
        }
    }

    @Test(
        "Customers are found by the beginning of their names, in pages and one environment",
        arguments: Engine.allCases
    )
    func prefixes(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = ["ann", "anna", "anna\u{10FFFF}", "Ann", "an_", "an%", "bob", "植物", "植物標本", "an"]
        for (number, name) in all.enumerated() {
            _ = try await fixture.commit(fixture.account(name, number: Int64(number + 1)), rows: [])
        }
        let other = fixture.account("annabel", number: 90, in: Self.production)
        _ = try await fixture.commit(other, rows: [])
        let storage = fixture.storage
        for prefix in ["a", "an", "ann", "anna", "anna\u{10FFFF}", "an_", "an%", "植", "b", "x", "A"] {
            let found = try await names(prefix, in: StorageFixture.scope, storage)
            #expect(found.sorted() == all.filter { $0.hasPrefix(prefix) }.sorted(), "\(prefix)")
        }
        #expect(try await names("ann", in: Self.production, storage) == ["annabel"])
        let both = [StorageFixture.scope, Self.production]
        #expect(try await storage.accounts(named: "ann", in: both).map(\.customer) == ["ann"])
        #expect(try await storage.accounts(named: "annabel", in: both).map(\.id) == [other.id])
        #expect(try await storage.accounts(named: "ann", in: []).isEmpty)
    }

    @Test("Each owner of an app account token is found once, in pages", arguments: Engine.allCases)
    func tokens(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        var owners: [AccountID] = []
        for number in 0..<5 {
            let account = fixture.account("guest \(number)", number: Int64(number + 1))
            let rows = (1...3).map { fixture.row(account, Int64(number * 10 + $0)) }
            owners.append(try await fixture.commit(account, rows: rows).id)
        }
        let storage = fixture.storage
        let token = try #require(fixture.row(fixture.account("guest 0", number: 1), 1).appAccountToken)
        #expect(try await storage.owners(ofToken: token, after: nil, limit: 10) == owners.sorted())
        var paged: [AccountID] = []
        while true {
            let page = try await storage.owners(ofToken: token, after: paged.last, limit: 2)
            paged += page
            guard page.count == 2 else { break }
        }
        #expect(paged == owners.sorted())
        #expect(try await storage.owners(ofToken: "1" + token.dropFirst(), after: nil, limit: 10).isEmpty)
    }

    @Test(
        "Notifications are found by UUID, and identifiers of other stores in each environment",
        arguments: Engine.allCases
    )
    func identifiers(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        try await fixture.notify(ann, number: 7)
        let storage = fixture.storage
        #expect(try await storage.notification(uuid: "uuid-7")?.account == ann.id)
        #expect(try await storage.notification(uuid: "uuid-8") == nil)
        let known = [
            ForeignIdentifier(.transaction, "17", in: StorageFixture.scope, of: ann.id, own: 5),
            ForeignIdentifier(.order, "17", in: StorageFixture.scope, of: ann.id, own: 6),
            ForeignIdentifier(.lineItem, "17", in: StorageFixture.scope, of: ann.id, own: 8),
        ]
        try await storage.commit([Change(foreignIdentifiers: known)])[0].get()
        let both = [Self.production, StorageFixture.scope]
        #expect(try await storage.foreignIdentifiers("17", in: both).map(\.own).sorted() == [5, 6])
        #expect(try await storage.foreignIdentifiers("17", in: [Self.production]).isEmpty)
    }

    @Test("A snapshot is read in the order of the present data", arguments: Engine.allCases)
    func snapshots(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        for (scope, first) in [(StorageFixture.scope, 1), (Self.production, 20)] {
            for number in 0..<5 {
                let account = fixture.account("guest \(number)", number: Int64(first + number), in: scope)
                let rows = (1...3).map { fixture.row(account, Int64((first + number) * 10 + $0)) }
                _ = try await fixture.commit(account, rows: rows)
                try await fixture.notify(account, number: Int64(100 - first - number))
            }
        }
        _ = try await storage.save(Snapshot(name: "all", app: nil, savedAt: Timestamp(milliseconds: 7)))
        for scope in [StorageFixture.scope, Self.production] {
            let present = try await storage.storedAccounts(of: scope, after: nil, limit: 10)
            #expect(present.count == 5)
            let saved = try await storage.storedAccounts(of: scope, in: "all", after: nil, limit: 10)
            #expect(saved == present)
            let rest = try await storage.storedAccounts(of: scope, in: "all", after: present[1].id, limit: 2)
            #expect(rest == Array(present[2...3]))
            let ids = present.map(\.id)
            let latest = try await storage.latestTransactions(of: ids, in: nil, limit: 2)
            #expect(latest.values.allSatisfy { $0.count == 2 && $0[0].change == $0[1].change + 1 })
            #expect(try await storage.latestTransactions(of: ids, in: "all", limit: 2) == latest)
            let heads = try await storage.notificationHeads(of: scope, in: nil, after: nil, limit: 10)
            #expect(heads.map(\.position) == heads.map(\.position).sorted() && heads.count == 5)
            #expect(Set(heads.compactMap(\.account)) == Set(ids))
            #expect(try await storage.notificationHeads(of: scope, in: "all", after: nil, limit: 10) == heads)
            let after = heads[2].position
            #expect(
                try await storage.notificationHeads(of: scope, in: "all", after: after, limit: 9) == Array(heads[3...])
            )
            #expect(try await storage.notificationHeads(of: scope, in: nil, after: after, limit: 1) == [heads[3]])
        }
        #expect(try await storage.storedAccounts(of: StorageFixture.scope, in: "none", after: nil, limit: 1).isEmpty)
    }
}
