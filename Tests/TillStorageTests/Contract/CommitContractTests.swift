import Testing
import TillCore
import TillStorage

@Suite("Every storage engine commits complete changes or nothing")
struct CommitContractTests {
    @Test("An account and its transactions are read as they were written", arguments: Engine.allCases)
    func roundTrip(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let ann = fixture.account("ann", number: 1)
        let rows = [
            fixture.row(ann, 1, refund: 1), fixture.row(ann, 2, type: .autoRenewable, group: "20450880"),
            fixture.row(ann, 3, ownership: .familyShared, finished: true),
        ]
        let written = try await fixture.commit(ann, rows: rows)
        #expect(try await fixture.storage.account(ann.id) == written)
        #expect(
            try await fixture.storage.account(
                of: CustomerName(AccountScope(environment: .sandbox, app: "com.example"), "ann")
            ) == written
        )
        #expect(
            try await fixture.storage.account(
                of: CustomerName(AccountScope(environment: .production, app: "com.example"), "ann")
            ) == nil
        )
        for row in rows { #expect(try await fixture.storage.transaction(row.id) == row) }
        #expect(try await fixture.storage.owner(of: rows[0].id, in: StorageFixture.scope) == ann.id)
        let other = AccountScope(environment: .sandbox, app: "com.other")
        #expect(try await fixture.storage.owner(of: rows[0].id, in: other) == nil)
        let order = try #require(rows[1].order)
        #expect(try await fixture.storage.transactions(in: order) == [rows[1]])
        #expect(try await fixture.storage.transactions(in: OrderID(1)).isEmpty)
    }

    @Test("A change with a stale version fails alone and writes nothing", arguments: Engine.allCases)
    func conflicts(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        let bob = try await fixture.commit(fixture.account("bob", number: 2), rows: [])
        var (newAnn, newBob) = (ann, bob)
        newAnn.version = 9
        newBob.version = 2
        let results = await fixture.storage.commit([
            Change(
                accounts: [
                    AccountChange(account: newBob, before: 1), AccountChange(account: newAnn, before: 7),
                ],
                rows: [TransactionChange(before: nil, after: fixture.row(bob, 1))]
            ),
            Change(
                accounts: [AccountChange(account: newBob, before: 1)],
                rows: [TransactionChange(before: nil, after: fixture.row(bob, 2))]
            ),
        ])
        guard case .failure(.conflict(let id)) = results[0] else {
            Issue.record("the first change was committed against a stale version")
            return
        }
        #expect(id == ann.id)
        try results[1].get()
        #expect(try await fixture.storage.account(ann.id) == ann)
        let page = try await fixture.storage.history(HistoryQuery(account: bob.id))
        #expect(page.rows.map(\.change) == [2])
    }

    @Test(
        "A second account of the same customer, or a second transaction with the same id, is a conflict",
        arguments: Engine.allCases
    )
    func duplicates(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        let twin = fixture.account("ann", number: 2)
        let row = fixture.row(ann, 1)
        var next = ann
        next.version = 2
        var again = row
        again.change = 2
        let results = await fixture.storage.commit([
            Change(accounts: [AccountChange(account: twin, before: nil)]),
            Change(
                accounts: [AccountChange(account: next, before: 1)],
                rows: [TransactionChange(before: nil, after: row), TransactionChange(before: nil, after: again)]
            ),
        ])
        for result in results {
            guard case .failure(.conflict) = result else {
                Issue.record("a duplicate was written: \(result)")
                return
            }
        }
        #expect(try await fixture.storage.account(ann.id)?.version == 1)
        #expect(try await fixture.storage.transaction(row.id) == nil)
    }

    @Test(
        "A changed transaction leaves its old position in the history; a change of a missing one is a conflict",
        arguments: Engine.allCases
    )
    func moving(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let before = fixture.account("ann", number: 1)
        let row = fixture.row(before, 1)
        let ann = try await fixture.commit(before, rows: [row, fixture.row(before, 2)])
        var moved = row
        moved.change = 3
        moved.isUpgraded = true
        var next = ann
        next.version = 2
        next.changeNumber = 3
        let change = Change(
            accounts: [AccountChange(account: next, before: 1)],
            rows: [TransactionChange(before: 1, after: moved)]
        )
        try await fixture.storage.commit([change])[0].get()
        let page = try await fixture.storage.history(HistoryQuery(account: ann.id))
        #expect(page.rows.map(\.change) == [2, 3])
        #expect(page.rows.last == moved)
        #expect(page.head == 3)
        next.version = 3
        let stale = Change(
            accounts: [AccountChange(account: next, before: 2)],
            rows: [TransactionChange(before: 1, after: moved)]
        )
        guard case .failure(.conflict) = await fixture.storage.commit([stale])[0] else {
            Issue.record("a row was moved from where it no longer lay")
            return
        }
    }

    @Test("A limited code can be redeemed up to its limit, over all customers", arguments: Engine.allCases)
    func redemptions(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let redemption = CodeRedemption(
            app: "com.example",
            environment: .sandbox,
            productID: "pro",
            offerID: "SPRING",
            limit: 3
        )
        var results: [Bool] = []
        for number in 1...5 {
            let account = fixture.account("customer-\(number)", number: Int64(number))
            let change = Change(
                accounts: [AccountChange(account: account, before: nil)],
                redemptions: [redemption]
            )
            switch await fixture.storage.commit([change])[0] {
            case .success: results.append(true)
            case .failure(.codeUsedUp(let used)):
                #expect(used == redemption)
                results.append(false)
                #expect(try await fixture.storage.account(account.id) == nil)
            case .failure(let failure): throw failure
            }
        }
        #expect(results == [true, true, true, false, false])
    }

    @Test("Identifiers are unique, also after a restart and for concurrent callers", arguments: Engine.allCases)
    func identifiers(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        let ranges = try await withThrowingTaskGroup(of: Range<Int64>.self) { group in
            for count in 1...40 { group.addTask { try await storage.reserveIdentifiers(Int64(count)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        for (left, right) in zip(sorted, sorted.dropFirst()) { #expect(left.upperBound <= right.lowerBound) }
        let last = try #require(sorted.last)
        #expect(try await storage.identifierHighWater() == last.upperBound)
        try await storage.close()
        #expect(try await fixture.reopened().reserveIdentifiers(1).lowerBound == last.upperBound)
    }

    @Test("Documents are overwritten, and read by name", arguments: Engine.allCases)
    func documents(_ engine: Engine) async throws {
        let storage = try StorageFixture(engine).storage
        try await storage.put([
            Document(kind: .app, name: "b", body: "1"), Document(kind: .app, name: "a", body: "2"),
            Document(kind: .key, name: "a", body: "3"),
        ])
        try await storage.put([Document(kind: .app, name: "b", body: "4")])
        #expect(try await storage.documents(.app).map(\.body) == ["2", "4"])
        try await storage.removeDocument(.app, name: "a")
        try await storage.removeDocument(.app, name: "unknown")
        #expect(try await storage.documents(.app).map(\.name) == ["b"])
        #expect(try await storage.documents(.key).map(\.body) == ["3"])
    }

    @Test("The request log keeps the newest entries and deletes the others", arguments: Engine.allCases)
    func requestLog(_ engine: Engine) async throws {
        let storage = try StorageFixture(engine).storage
        let entries = (1...12).map { number in
            RequestLogEntry(
                id: "ID\(number)",
                at: Timestamp(milliseconds: Int64(number)),
                environment: .sandbox,
                method: "GET",
                path: "/",
                status: 401,
                explanation: "no \(number)"
            )
        }
        try await storage.appendRequestLog(Array(entries.prefix(6)), keeping: 10)
        try await storage.appendRequestLog(Array(entries.suffix(6)), keeping: 10)
        #expect(try await storage.requestLog(limit: 100) == entries.suffix(10).reversed())
        #expect(try await storage.requestLog(limit: 2).map(\.id) == ["ID12", "ID11"])
        let page = try await storage.requestLog(before: .max, limit: 4)
        #expect(page.map(\.entry.id) == ["ID12", "ID11", "ID10", "ID9"])
        let rest = try await storage.requestLog(before: page[3].number, limit: 100)
        #expect(rest.map(\.entry) == entries[2..<8].reversed())
        #expect(try await storage.requestLogEntry("ID2") == nil)
        #expect(try await storage.requestLogEntry("ID3") == entries[2])
    }
}
