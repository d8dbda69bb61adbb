import Testing
import TillCore
import TillStorage

@Suite("Complete tables can be copied from each storage engine to each other")
struct BackupContractTests {
    /// The content of every table, read in pages; the rows of one partition in their order.
    private func dump(_ storage: any Storage, pages limit: Int) async throws -> [ShopTable: [TableRow]] {
        var all: [ShopTable: [TableRow]] = [:]
        for table in ShopTable.allCases {
            var last: TableRow?
            repeat {
                let page = try await storage.rows(of: table, after: last, limit: limit)
                #expect(page.count <= limit)
                all[table, default: []] += page
                last = page.last
            } while last != nil
        }
        return all
    }

    private func fill(_ fixture: StorageFixture) async throws {
        for counter in 1...7 {
            let account = fixture.account("customer \(counter)", number: Int64(counter))
            let rows = (1...3).map { fixture.row(account, Int64(counter * 100 + $0), refund: $0 == 2 ? 1 : nil) }
            _ = try await fixture.commit(account, rows: rows)
            try await fixture.notify(account, number: Int64(counter))
            try await fixture.notify(account, number: Int64(counter + 20))
        }
        for offer in ["SPRING", "AUTUMN"] {
            let redemption = CodeRedemption(
                app: StorageFixture.scope.app,
                environment: .sandbox,
                productID: "pro",
                offerID: offer,
                limit: 5
            )
            let ann = fixture.account("customer 1", number: 1)
            let foreign = ForeignIdentifier(.order, offer, in: StorageFixture.scope, of: ann.id, own: 7)
            let change = Change(redemptions: [redemption], foreignIdentifiers: [foreign])
            try await fixture.storage.commit([change])[0].get()
        }
        try await fixture.storage.put([
            Document(kind: .team, name: "täam", body: "3"), Document(kind: .shop, name: "seed", body: "4"),
            Document(kind: .chain, name: "chain", app: "com.example", body: "5"),
        ])
    }

    @Test("Copied rows are unchanged, with any page size", arguments: Engine.allCases, Engine.allCases)
    func whole(_ from: Engine, _ to: Engine) async throws {
        let (source, target) = (try StorageFixture(from), try StorageFixture(to))
        try await fill(source)
        let rows = try await dump(source.storage, pages: 100)
        #expect(rows[.accounts]?.count == 7 && rows[.ledger]?.count == 21 && rows[.outbox]?.count == 14)
        #expect(rows[.deliveries]?.count == 14 && rows[.redemptions]?.count == 2 && rows[.documents]?.count == 3)
        #expect(rows[.foreignIdentifiers]?.count == 2)
        #expect(try await dump(source.storage, pages: 2) == rows)
        for table in ShopTable.allCases { try await target.storage.add(rows[table] ?? [], to: table) }
        let arrived = try await dump(target.storage, pages: 3)
        for table in ShopTable.allCases {
            #expect(Set(arrived[table] ?? []) == Set(rows[table] ?? []), "\(table)")
            let partitions = Dictionary(grouping: arrived[table] ?? []) { $0["partition", of: table] }
            let wanted = Dictionary(grouping: rows[table] ?? []) { $0["partition", of: table] }
            #expect(partitions == wanted, "\(table)")
        }
        let account = try #require(try await source.storage.accounts(of: nil, after: nil, limit: 1).first)
        #expect(try await target.storage.account(account.id) == account)
        #expect(try await target.storage.examine() == (try await source.storage.examine()))
    }

    @Test("A batch adds all its rows or none", arguments: Engine.allCases)
    func atomic(_ engine: Engine) async throws {
        let (source, target) = (try StorageFixture(.sqlite), try StorageFixture(engine))
        try await fill(source)
        let accounts = try await source.storage.rows(of: .accounts, after: nil, limit: 10)
        await #expect(throws: (any Error).self) {
            try await target.storage.add(accounts + [accounts[0]], to: .accounts)
        }
        #expect(try await target.storage.rows(of: .accounts, after: nil, limit: 10).isEmpty)
    }
}
