import Testing
import TillCore
import TillStorage

@Suite("Every storage engine keeps the audit log")
struct AuditContractTests {
    private func record(_ number: Int64, caller: String = "ci", code: String? = nil) -> AuditRecord {
        AuditRecord(
            id: "id \(number)",
            at: Timestamp(milliseconds: number * 1_000),
            caller: caller,
            address: "127.0.0.1",
            operation: number.isMultiple(of: 2) ? "buyProduct" : "createApp",
            app: number.isMultiple(of: 2) ? StorageFixture.scope.app : nil,
            environment: "sandbox",
            customer: "ann",
            object: "x",
            status: code == nil ? 201 : 409,
            code: code
        )
    }

    private func all(_ storage: any Storage) async throws -> [AuditRecord] {
        try await storage.auditRecords(AuditQuery(limit: 100)).map(\.record)
    }

    @Test("A record is committed with its change, and not without it", arguments: Engine.allCases)
    func together(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        let account = fixture.account("ann", number: 1)
        let first = Change(accounts: [AccountChange(account: account, before: nil)], audit: record(1))
        let stale = Change(accounts: [AccountChange(account: account, before: 7)], audit: record(2))
        let other = Change(audit: record(3))
        let results = await storage.commit([first, stale, other])
        try results[0].get()
        guard case .failure(.conflict) = results[1] else {
            Issue.record("the stale change was committed")
            return
        }
        try results[2].get()
        #expect(try await all(storage) == [record(3), record(1)])
        #expect(
            try await fixture.reopened().auditRecords(AuditQuery(limit: 9)).map(\.record) == [record(3), record(1)]
        )
    }

    @Test("A record with the same id is written once; only a failure replaces its result", arguments: Engine.allCases)
    func once(_ engine: Engine) async throws {
        let storage = try StorageFixture(engine).storage
        for code in [nil, "busy", nil] {
            for result in await storage.commit([Change(audit: record(1, code: code))]) { try result.get() }
        }
        #expect(try await all(storage) == [record(1, code: "busy")])
    }

    @Test("Every write of configuration contains the record of the current operation", arguments: Engine.allCases)
    func documents(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let storage = fixture.storage
        let document = Document(kind: .team, name: "team", body: "{}")
        let snapshot = Snapshot(name: "s", app: nil, savedAt: Timestamp(milliseconds: 1))
        let writes: [@Sendable () async throws -> Void] = [
            { try await storage.put([document]) }, { _ = try await storage.keep(document) },
            { try await storage.removeDocument(.team, name: "team") }, { _ = try await storage.save(snapshot) },
            { try await storage.restore(snapshot: "s") }, { try await storage.remove(snapshot: "s") },
            { try await storage.erase(app: nil, documents: []) },
            { try await storage.dropDeliveries(to: "primary", in: StorageFixture.scope) },
            { try await storage.redeliver(NotificationID(1_024), to: ["primary"], due: Timestamp(milliseconds: 1)) },
            { try await storage.prune([NotificationID(1_024)]) },
        ]
        for (number, write) in writes.enumerated() {
            let pending = PendingAudit(record(Int64(number)))
            try await PendingAudit.$current.withValue(pending, operation: write)
            #expect(pending.unwritten == nil, "\(number)")
            // A replacement of all data keeps the log.
            #expect(try await all(storage).count == number + 1)
        }
        // A second write of an operation, and work that continues after it, write no record.
        let pending = PendingAudit(record(100))
        #expect(pending.end(status: 404, code: "unknown_app")?.code == "unknown_app")
        try await PendingAudit.$current.withValue(pending) { try await storage.put([document]) }
        #expect(try await all(storage).count == writes.count)
    }

    @Test("A query finds by caller, operation, app, failure and date, page by page", arguments: Engine.allCases)
    func query(_ engine: Engine) async throws {
        let storage = try StorageFixture(engine).storage
        let records = (1...8).map { record(Int64($0), caller: $0 < 4 ? "ann" : "ci", code: $0 == 5 ? "busy" : nil) }
        for result in await storage.commit(records.shuffled().map { Change(audit: $0) }) { try result.get() }
        func ids(_ change: (inout AuditQuery) -> Void) async throws -> [Int64] {
            var query = AuditQuery(limit: 3)
            change(&query)
            var found: [Int64] = []
            while true {
                let page = try await storage.auditRecords(query)
                found += page.map { $0.record.at.milliseconds / 1_000 }
                guard page.count == 3, let last = page.last else { return found }
                query.before = last.position
            }
        }
        #expect(try await ids { _ in } == [8, 7, 6, 5, 4, 3, 2, 1])
        #expect(try await ids { $0.caller = "ann" } == [3, 2, 1])
        #expect(try await ids { $0.operation = "createApp" } == [7, 5, 3, 1])
        #expect(try await ids { $0.app = StorageFixture.scope.app } == [8, 6, 4, 2])
        #expect(try await ids { $0.onlyFailed = true } == [5])
        #expect(
            try await ids {
                $0.from = Timestamp(milliseconds: 3_000)
                $0.to = Timestamp(milliseconds: 6_000)
            } == [5, 4, 3]
        )
        #expect(try await storage.auditRecords(after: nil, limit: 2).map(\.record) == Array(records[..<2]))
        #expect(try await storage.pruneAudit(before: Timestamp(milliseconds: 5_000), limit: 3) == 3)
        #expect(try await storage.pruneAudit(before: Timestamp(milliseconds: 5_000), limit: 3) == 1)
        #expect(try await ids { _ in } == [8, 7, 6, 5])
    }

    @Test(
        "Erasing a customer removes the name from the log, also from the record of the erasure",
        arguments: Engine.allCases
    )
    func erased(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let account = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        let others = [record(1), record(2)]
        for result in await fixture.storage.commit(others.map { Change(audit: $0) }) { try result.get() }
        let own = record(4)
        for result in await fixture.storage.commit([Change(erasure: Erasure(account), audit: own)]) { try result.get() }
        let names = try await all(fixture.storage).map { $0.customer }
        // The first record concerns no app.
        #expect(names == [nil, nil, "ann"])
    }

    @Test("The number of calls of a record only grows", arguments: Engine.allCases)
    func calls(_ engine: Engine) async throws {
        let storage = try StorageFixture(engine).storage
        for count in [2, 3, 1] {
            var refused = record(1, code: "insufficient_scope")
            refused.count = count
            for result in await storage.commit([Change(audit: refused)]) { try result.get() }
        }
        #expect(try await all(storage).map(\.count) == [3])
    }
}
