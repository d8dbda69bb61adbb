import Foundation
import Synchronization
import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillPostgres

@Suite("Failures of PostgreSQL or of the connection to it")
struct PostgresFailureTests {
    private func storage(
        _ database: PostgresDatabase,
        _ change: (inout PostgresSettings) -> Void
    ) throws -> PostgresStorage {
        var settings = PostgresSettings()
        change(&settings)
        let storage = try PostgresStorage(DatabaseURL(database.url), settings: settings)
        database.keep(while: storage)
        return storage
    }

    private final class Commits: Sendable {
        let count = Mutex(0)
    }

    /// Waits for at most a minute until a condition holds.
    private func eventually(_ body: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<1_200 {
            if try await body() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("A killed server loses no acknowledged commit; commits fail until the server has restarted")
    func restart() async throws {
        let server = try PostgresServer()
        let database = try server.database { _ = try PostgresStorage(DatabaseURL($0)) }
        let storage = try storage(database) { $0.connections = 4 }
        let sample = try StorageFixture(.sqlite)
        let commits = Commits()
        let acknowledged = await withTaskGroup(of: [AccountID].self) { group in
            for worker in 0..<4 {
                group.addTask {
                    var acknowledged: [AccountID] = []
                    for number in 0..<100_000 {
                        let account = sample.account(
                            "c\(worker)-\(number)",
                            number: Int64(worker * 100_000 + number + 1)
                        )
                        let results = await storage.commit([
                            Change(accounts: [AccountChange(account: account, before: nil)])
                        ])
                        guard case .success = results[0] else { break }
                        acknowledged.append(account.id)
                        commits.count.withLock { $0 += 1 }
                    }
                    return acknowledged
                }
            }
            group.addTask {
                do {
                    #expect(try await self.eventually { commits.count.withLock { $0 >= 20 } })
                    try server.kill()
                } catch { Issue.record(error) }
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        let dan = sample.account("dan", number: 900_000)
        let change = Change(accounts: [AccountChange(account: dan, before: nil)])
        for _ in 1...3 {
            guard case .failure(.temporary(let reason)) = await storage.commit([change])[0] else {
                Issue.record("a server that is down has committed something")
                return
            }
            #expect(!reason.isEmpty)
        }
        await #expect(throws: (any Error).self) { try await storage.ping() }
        try server.start()
        let isBack = try await eventually {
            if case .success = await storage.commit([change])[0] { return true }
            return false
        }
        #expect(isBack)
        for id in acknowledged { #expect(try await storage.account(id) != nil) }
        #expect(acknowledged.count >= 20)
        #expect(try await storage.examine().isEmpty)
        withExtendedLifetime(server) {}
    }

    @Test("An idle connection that the server has closed is detected before it is used")
    func ended() async throws {
        let fixture = try StorageFixture(.postgres)
        let storage = try #require(fixture.storage as? PostgresStorage)
        try await storage.ping()
        let other = try #require(try fixture.reopened() as? PostgresStorage)
        let end = """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'till'
            """
        let ended = try await other.pool.perform { try $0.run(script: end).count }
        // Each of the two pools may have opened several connections.
        #expect(ended >= 1)
        try await storage.ping()
    }

    @Test("A cancelled task ends its statement and does not affect the next statement")
    func cancellation() async throws {
        let storage = try storage(try StorageFixture.database()) { $0.connections = 1 }
        for _ in 1...5 {
            let begun = ContinuousClock.now
            let sleeping = Task { try await storage.pool.perform { _ = try $0.run(script: "SELECT pg_sleep(60)") } }
            try await Task.sleep(for: .milliseconds(60))
            // This statement waits for the previous one, and never begins.
            let waiting = Task { try await storage.pool.perform { _ = try $0.run(script: "SELECT pg_sleep(60)") } }
            try await Task.sleep(for: .milliseconds(20))
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            sleeping.cancel()
            await #expect(throws: CancellationError.self) { try await sleeping.value }
            try await storage.ping()
            #expect(ContinuousClock.now - begun < .seconds(20))
        }
        let late = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await storage.ping()
        }
        await #expect(throws: CancellationError.self) { try await late.value }
    }

    @Test("A locked row makes only its own change fail, after the lock timeout")
    func locks() async throws {
        let database = try StorageFixture.database()
        let storage = try storage(database) { $0.lockTimeout = .milliseconds(200) }
        let sample = try StorageFixture(.sqlite)
        var accounts = [sample.account("ann", number: 1), sample.account("bob", number: 2)]
        for account in accounts {
            try await storage.commit([Change(accounts: [AccountChange(account: account, before: nil)])])[0].get()
        }
        let holder = try Session(DatabaseURL(database.url), PostgresSettings())
        try holder.run(script: "BEGIN")
        try holder.run(script: "SELECT 1 FROM accounts WHERE account = \(accounts[0].id.number) FOR UPDATE")
        for place in 0...1 { accounts[place].version = 2 }
        let changes = accounts.map { Change(accounts: [AccountChange(account: $0, before: 1)]) }
        let results = await storage.commit(changes)
        guard case .failure(.temporary(let reason)) = results[0] else {
            Issue.record("a row that was held has been written")
            return
        }
        #expect(reason.contains("55P03"), "\(reason)")
        try results[1].get()
        try holder.run(script: "ROLLBACK")
        try await storage.commit([changes[0]])[0].get()
    }

    @Test("A statement that exceeds the statement timeout is ended")
    func statementTimeout() async throws {
        let storage = try storage(try StorageFixture.database()) { $0.statementTimeout = .milliseconds(100) }
        await #expect(throws: PostgresFailure.self) {
            try await storage.pool.perform { _ = try $0.run(script: "SELECT pg_sleep(60)") }
        }
        try await storage.ping()
    }

    @Test("The number of waiting statements and the time of waiting are limited")
    func crowd() async throws {
        let database = try StorageFixture.database()
        let storage = try storage(database) {
            $0.connections = 1
            $0.maxWaiting = 2
            $0.maxWait = .seconds(1)
            $0.lockTimeout = .seconds(600)
            $0.statementTimeout = .seconds(600)
        }
        // The only connection waits for a lock. Another session holds this lock until all statements have ended.
        let holder = try Session(DatabaseURL(database.url), PostgresSettings())
        try holder.run(script: "SELECT pg_advisory_lock(1)")
        let user = Task { try await storage.pool.perform { _ = try $0.run(script: "SELECT pg_advisory_lock(1)") } }
        while try holder.run(script: "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").count == 0 {
            try await Task.sleep(for: .milliseconds(10))
        }
        let refusals = await withTaskGroup(of: String.self) { group in
            for _ in 1...5 {
                group.addTask {
                    do {
                        try await storage.ping()
                        return "none"
                    } catch PostgresRefused.crowded { return "crowded" } catch PostgresRefused.waitedTooLong {
                        return "waited"
                    } catch { return "\(error)" }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.sorted() == ["crowded", "crowded", "crowded", "waited", "waited"])
        try holder.run(script: "SELECT pg_advisory_unlock(1)")
        try await user.value
        try await storage.ping()
        try await storage.close()
        await #expect(throws: PostgresRefused.self) { try await storage.ping() }
    }

    @Test("Many tasks share few connections, and all tasks complete")
    func sharing() async throws {
        let storage = try storage(try StorageFixture.database()) { $0.connections = 3 }
        let processes = try await withThrowingTaskGroup(of: Int64.self) { group in
            for _ in 1...300 {
                group.addTask {
                    try await storage.pool.perform { session in
                        let answer = try session.run(script: "SELECT pg_backend_pid()").first
                        return Int64(try answer?.text(0) ?? "") ?? 0
                    }
                }
            }
            return try await group.reduce(into: Set<Int64>()) { $0.insert($1) }
        }
        #expect((1...3).contains(processes.count))
    }

    @Test("The delay before a new connection grows while the server is down")
    func backOff() throws {
        struct Down: Error {}
        var settings = PostgresSettings()
        settings.shortestBackOff = .milliseconds(20)
        settings.maxBackOff = .milliseconds(80)
        let backOff = BackOff(settings)
        var attempts = 0
        let end = ContinuousClock.now + .milliseconds(400)
        while ContinuousClock.now < end {
            #expect(throws: Down.self) {
                try backOff.attempt {
                    attempts += 1
                    throw Down()
                }
            }
            Thread.sleep(forTimeInterval: 0.001)
        }
        #expect((3...14).contains(attempts), "\(attempts) attempts")
        Thread.sleep(forTimeInterval: 0.1)
        #expect(try backOff.attempt { 7 } == 7)
        #expect(try backOff.attempt { 8 } == 8)
    }

    @Test("A text that PostgreSQL cannot store makes only its own change fail")
    func zeroByte() async throws {
        let fixture = try StorageFixture(.postgres)
        let storage = try #require(fixture.storage as? PostgresStorage)
        let ended = await storage.commit([
            Change(documents: [Document(kind: .job, name: "a", body: "1")]),
            // PostgreSQL cannot store a NUL character in a text.
            Change(documents: [Document(kind: .job, name: "b", body: "\0")]),
        ])
        try ended[0].get()
        guard case .failure(.engine) = ended[1] else {
            Issue.record("a text that cannot be kept was acknowledged")
            return
        }
        #expect(try await storage.documents(.job).map(\.name) == ["a"])
    }

    @Test("A transaction of the ledger cannot be stored without its account")
    func foreignKeys() async throws {
        let fixture = try StorageFixture(.postgres)
        let missing = fixture.account("missing", number: 1)
        let change = Change(accounts: [], rows: [TransactionChange(before: nil, after: fixture.row(missing, 1))])
        guard case .failure(.engine) = await fixture.storage.commit([change])[0] else {
            Issue.record("a row without an account was committed")
            return
        }
    }

    @Test(
        "No error message contains the password",
        arguments: [
            "postgres://till:hunter2@127.0.0.1:1/till?connect_timeout=2", "postgres://till:hunter2@no.such.host/till",
            "postgres://till:hunter2@host:port/till", "postgres://till:hunter2/x@host/till",
            "postgres://till:hunter@2@host/till", "postgres://till:a?hunter2@host/till", "mysql://till:hunter2@host",
            "postgres://till@host/till?password=hunter2&sslmode=strange", "postgres://till:hunter2@host/till?what=7",
        ]
    )
    func secrets(_ text: String) {
        do {
            _ = try PostgresStorage(DatabaseURL(text))
            Issue.record("a database that is not there was opened")
        } catch {
            let message = String(describing: error)
            #expect(!message.contains("hunter") && !message.isEmpty, "\(message)")
        }
        if let url = try? DatabaseURL(text) { #expect(!"\(url)".contains("hunter")) }
    }
}
