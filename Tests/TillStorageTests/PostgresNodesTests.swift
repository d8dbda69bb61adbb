import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillPostgres

@Suite("Several nodes share one PostgreSQL database")
struct PostgresNodesTests {
    @Test("Of two concurrent changes to one account, exactly one succeeds")
    func guarded() async throws {
        let fixture = try StorageFixture(.postgres)
        let nodes = [fixture.storage, try fixture.reopened()]
        var ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        let bystanders = (2...3).map { fixture.account("by\($0)", number: Int64($0)) }
        for bystander in bystanders { _ = try await fixture.commit(bystander, rows: []) }
        for round in 1...40 {
            let next = ann
            let wins = await withTaskGroup(of: Bool.self) { group in
                for (place, node) in nodes.enumerated() {
                    var mine = next
                    mine.version += 1
                    mine.changeNumber = Int64(round)
                    mine.rowCount = Int64(round)
                    let row = fixture.row(mine, Int64(round), product: "node\(place)")
                    // The batch also contains a change of another account, which succeeds although the first change
                    // fails.
                    var other = bystanders[place]
                    other.version = Int64(round) + 1
                    let changes = [
                        Change(
                            accounts: [AccountChange(account: mine, before: next.version)],
                            rows: [TransactionChange(before: nil, after: row)]
                        ),
                        Change(accounts: [AccountChange(account: other, before: Int64(round))]),
                    ]
                    group.addTask {
                        let results = await node.commit(changes)
                        if case .failure = results[1] { Issue.record("a bystander failed: \(results[1])") }
                        switch results[0] {
                        case .success: return true
                        case .failure(.conflict(let id)):
                            #expect(id == next.id)
                            return false
                        case .failure(let failure):
                            Issue.record("neither won nor lost: \(failure)")
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(wins == 1)
            ann = try #require(try await fixture.storage.account(ann.id))
            #expect(ann.version == Int64(round) + 1)
        }
        let page = try await fixture.storage.history(HistoryQuery(account: ann.id, limit: 100))
        #expect(page.rows.count == 40)
        #expect(try await fixture.storage.examine().isEmpty)
    }

    @Test("Identifiers are unique across all nodes")
    func identifiers() async throws {
        let fixture = try StorageFixture(.postgres)
        let nodes = [fixture.storage, try fixture.reopened(), try fixture.reopened()]
        let ranges = try await withThrowingTaskGroup(of: Range<Int64>.self) { group in
            for count in 1...60 { group.addTask { try await nodes[count % 3].reserveIdentifiers(Int64(count)) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let sorted = ranges.sorted { $0.lowerBound < $1.lowerBound }
        for (left, right) in zip(sorted, sorted.dropFirst()) { #expect(left.upperBound == right.lowerBound) }
    }

    @Test("Batches that lock the same rows in different orders all succeed")
    func collisions() async throws {
        let fixture = try StorageFixture(.postgres)
        let nodes = [fixture.storage, try fixture.reopened()]
        let names = ["a", "b", "c", "d"]
        await withTaskGroup(of: Void.self) { group in
            for (place, node) in nodes.enumerated() {
                group.addTask {
                    for round in 1...10 {
                        let order = place == 0 ? names : names.reversed()
                        let documents = order.map { Document(kind: .job, name: $0, body: "\(place) \(round)") }
                        for result in await node.commit(documents.map { Change(documents: [$0]) }) {
                            if case .failure(let failure) = result { Issue.record("lost: \(failure)") }
                        }
                    }
                }
            }
        }
        let bodies = try await fixture.storage.documents(.job).map(\.body)
        #expect(bodies.count == 4 && Set(bodies).count == 1 && bodies[0].hasSuffix(" 10"))
    }

    @Test("A code's limit applies across all nodes")
    func redemptions() async throws {
        let fixture = try StorageFixture(.postgres)
        let nodes = [fixture.storage, try fixture.reopened()]
        let code = CodeRedemption(
            app: "com.example",
            environment: .sandbox,
            productID: "pro",
            offerID: "SPRING",
            limit: 7
        )
        let redeemed = await withTaskGroup(of: Bool.self) { group in
            for number in 1...20 {
                let account = fixture.account("c\(number)", number: Int64(number))
                let change = Change(accounts: [AccountChange(account: account, before: nil)], redemptions: [code])
                group.addTask {
                    switch await nodes[number % 2].commit([change])[0] {
                    case .success: return true
                    case .failure(.codeUsedUp): return false
                    case .failure(let failure):
                        Issue.record("neither redeemed nor refused: \(failure)")
                        return false
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(redeemed == 7)
        #expect(try await fixture.storage.accounts(of: nil, after: nil, limit: 100).count == 7)
    }

    @Test("Nodes that start at the same time migrate an empty database exactly once")
    func migrations() async throws {
        let database = try PostgresServer.shared().empty()
        let url = try DatabaseURL(database.url)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...3 {
                group.addTask {
                    let storage = try PostgresStorage(url)
                    try await storage.ping()
                    try await storage.close()
                }
            }
            try await group.waitForAll()
        }
        let session = try Session(url, PostgresSettings())
        let versions = try session.run(script: "SELECT version FROM migrations ORDER BY 1").map { try $0.text(0) }
        #expect(versions == Migration.all.map { String($0.version) })
        try session.run(script: "INSERT INTO migrations VALUES (999, 'from the future')")
        #expect(throws: PostgresRefused.self) { try PostgresStorage(url) }
        #expect(throws: PostgresRefused.self) { try PostgresStorage(examining: url) }
    }

    @Test("A database without tables cannot be examined")
    func older() throws {
        let database = try PostgresServer.shared().empty()
        #expect(throws: PostgresRefused.self) { try PostgresStorage(examining: DatabaseURL(database.url)) }
    }
}
