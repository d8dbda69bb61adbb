import Foundation
import Testing
import TillStorage
import TillTestSupport

@testable import TillPostgres

@Suite("A PostgreSQL server that does not answer, or is no longer the primary")
struct PostgresLeaderTests {
    private func storage(_ change: (inout PostgresSettings) -> Void) throws -> PostgresStorage {
        let database = try StorageFixture.database()
        var settings = PostgresSettings()
        change(&settings)
        let storage = try PostgresStorage(DatabaseURL(database.url), settings: settings)
        database.keep(while: storage)
        return storage
    }

    @Test("A query to a paused server fails within the statement timeout")
    func silence() async throws {
        let storage = try storage {
            $0.connections = 1
            $0.statementTimeout = .milliseconds(500)
            $0.doubtfulSilence = .milliseconds(300)
        }
        let process = try await storage.pool.perform { session in
            try session.run(script: "SELECT pg_backend_pid()").first.flatMap { Int32($0.maybeText(0) ?? "") }
        }
        let backend = try #require(process)
        #expect(kill(backend, SIGSTOP) == 0)
        defer { kill(backend, SIGCONT) }
        let begun = ContinuousClock.now
        do {
            try await storage.ping()
            Issue.record("a paused server answered")
        } catch {
            #expect(error.isTransient, "\(error)")
        }
        #expect(ContinuousClock.now - begun < .seconds(12))
        try await storage.ping()
    }

    @Test("Connecting to a server that accepts no connection fails long before the statement timeout")
    func unresponsive() async throws {
        let server = try PostgresServer()
        let database = try server.database { _ = try PostgresStorage(DatabaseURL($0)) }
        var settings = PostgresSettings()
        settings.connectTimeout = .seconds(2)
        settings.doubtfulSilence = .milliseconds(500)
        let storage = try PostgresStorage(DatabaseURL(database.url), settings: settings)
        database.keep(while: storage)
        let file = try String(contentsOfFile: server.folder + "/data/postmaster.pid", encoding: .utf8)
        let first = try #require(file.split(separator: "\n").first.flatMap { Int32($0) })
        let process = try await storage.pool.perform { session in
            try session.run(script: "SELECT pg_backend_pid()").first.flatMap { Int32($0.maybeText(0) ?? "") }
        }
        let backend = try #require(process)
        for process in [first, backend] { #expect(kill(process, SIGSTOP) == 0) }
        let begun = ContinuousClock.now
        await #expect(throws: (any Error).self) { try await storage.ping() }
        #expect(ContinuousClock.now - begun < .seconds(15))
        for process in [backend, first] { kill(process, SIGCONT) }
        var isBack = false
        for _ in 0..<100 where !isBack {
            do {
                try await storage.ping()
                isBack = true
            } catch { try await Task.sleep(for: .milliseconds(100)) }
        }
        #expect(isBack)
        withExtendedLifetime(server) {}
    }

    @Test("A statement that may take long is not ended although the server sends nothing")
    func patience() async throws {
        let storage = try storage {
            $0.statementTimeout = .milliseconds(200)
            $0.doubtfulSilence = .milliseconds(100)
        }
        try await storage.pool.perform { session in
            try session.run(script: "SET statement_timeout = 0")
            try session.patiently { _ = try session.run(script: "SELECT pg_sleep(6.5)") }
        }
    }

    @Test("After a failover, connections to the old primary are closed, even during a query")
    func takeover() async throws {
        let database = try StorageFixture.database()
        let url = try DatabaseURL(database.url)
        let primaryTracker = PrimaryTracker(url, PostgresSettings())
        let old = try Session(url, PostgresSettings(), under: primaryTracker)
        let new = try Session(url, PostgresSettings(), under: primaryTracker)
        let other = try Session(url, PostgresSettings())
        #expect(old.isAlive() && new.isAlive())
        try primaryTracker.admit(new.handle, on: 2)
        #expect(!old.isAlive() && new.isAlive() && other.isAlive())
        let failure = #expect(throws: PostgresFailure.self) { try old.run(script: "SELECT 1") }
        #expect(failure?.endsConnection == true && failure?.isTransient == true)
        try new.run(script: "SELECT 1")
        let refused = #expect(throws: PostgresRefused.self) {
            try Session(url, PostgresSettings(), under: primaryTracker)
        }
        #expect(refused.map { "\($0)" }?.contains("no longer the primary (timeline 1, now 2)") == true)
    }

    @Test("The pool finds the primary among several hosts, and skips a former primary")
    func hosts() async throws {
        let server = try PostgresServer.shared()
        let database = try StorageFixture.database()
        let folder = server.folder.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let name = database.url.split(separator: "/").last ?? ""
        let url = try DatabaseURL("postgres://till@127.0.0.1:1,\(folder):5432,127.0.0.1:2/\(name)")
        #expect(
            url.hosts.map { $0.map(\.value) } == [["127.0.0.1", "1"], [server.folder, "5432"], ["127.0.0.1", "2"]]
        )
        let primaryTracker = PrimaryTracker(url, PostgresSettings())
        let session = try primaryTracker.connect()
        try session.run(script: "SELECT 1")
        try primaryTracker.connect(isDoubted: true).run(script: "SELECT 1")
        try primaryTracker.admit(session.handle, on: 2)
        let refused = #expect(throws: PostgresRefused.self) { try primaryTracker.connect() }
        let reason = refused.map { "\($0)" } ?? ""
        #expect(reason.contains("no longer the primary (timeline 1, now 2)"), "\(reason)")
        #expect(reason.contains("port 2 failed"), "\(reason)")
        #expect(try DatabaseURL("postgres://a,b/till").hosts.map { $0.map(\.value) } == [["a", ""], ["b", ""]])
        #expect(
            try DatabaseURL("postgres://a:1,b/till?port=3").hosts.map { $0.map(\.value) } == [["a", "3"], ["b", "3"]]
        )
        #expect(try DatabaseURL("postgres://a/till").hosts.isEmpty)
    }

    @Test("A pool continues with the newest primary, and sends no statement to the old one")
    func pool() async throws {
        let storage = try storage { $0.connections = 2 }
        try await storage.ping()
        let handle = try await storage.pool.perform { $0.handle }
        handle.cut()
        try await storage.ping()
        let next = try await storage.pool.perform { $0.handle }
        #expect(next !== handle)
    }
}
