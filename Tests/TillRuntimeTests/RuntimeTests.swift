import Foundation
import Testing
import TillCore
import TillRuntime
import TillShop
import TillStorage

/// Runs servers in the process of the test, each on a temporary SQLite database.
@Suite("A runtime starts, serves and stops")
struct RuntimeTests {
    private let folder = RuntimeFolder()

    private func runtime(_ configuration: RuntimeConfiguration) async throws -> Runtime {
        try await Runtime(configuration, logger: RuntimeFolder.logger)
    }

    @Test("Every listener answers until the runtime stops")
    func serves() async throws {
        var configuration = folder.configuration()
        configuration.isDemo = true
        let server = try await runtime(configuration).start()
        #expect(server.runtime.demoKey != nil)
        #expect(try await server.get("/v1/apps", from: .control).body.contains(DemoCatalog.bundleID))
        #expect(try await server.get("/inApps/v1/history/1", from: .production).status == 401)
        #expect(try await server.get("/inApps/v1/history/1", from: .sandbox).status == 401)
        try await server.stop()
        for listener in [ListenerKind.production, .sandbox, .control] {
            await #expect(throws: (any Error).self) { try await server.get("/healthz", from: listener) }
        }
    }

    @Test("A stop writes the request log, closes the database and unlocks the directory")
    func stopsInOrder() async throws {
        let first = try await runtime(folder.configuration()).start()
        #expect(try await first.get("/inApps/v1/history/1", from: .production).status == 401)
        try await first.stop()
        let second = try await runtime(folder.configuration()).start()
        let log = try await second.get("/v1/requests?refused=true", from: .control)
        try await second.stop()
        #expect(log.status == 200)
        #expect(log.body.contains("/inApps/v1/history/1"))
    }

    @Test("An ephemeral directory exists until the runtime stops")
    func ephemeral() async throws {
        let server = try await runtime(RuntimeFolder.ephemeral()).start()
        let path = server.runtime.directory.path
        #expect(FileManager.default.fileExists(atPath: path + "/till.sqlite"))
        try await server.stop()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("The callback runs when the directory is locked and no port is open; its error cancels the start")
    func beforeOpening() async throws {
        let directory = folder.directory
        await #expect(throws: CallbackFailure.self) {
            _ = try await Runtime(folder.configuration(), logger: RuntimeFolder.logger) {
                #expect(throws: DirectoryRefused.self) { try DirectoryLock(directory) }
                #expect(!FileManager.default.fileExists(atPath: directory.database))
                throw CallbackFailure()
            }
        }
        let server = try await runtime(folder.configuration()).start()
        try await server.stop()
    }

    @Test("The announcement contains every port; its error stops the runtime")
    func announcement() async throws {
        let runtime = try await runtime(folder.configuration())
        await #expect(throws: CallbackFailure.self) {
            try await runtime.run { ports in
                #expect(ports.areOpen)
                #expect([.production, .sandbox, .control].allSatisfy { ports[$0] > 0 })
                throw CallbackFailure()
            }
        }
        let next = try await self.runtime(folder.configuration()).start()
        try await next.stop()
    }

    @Test("A second runtime cannot use the directory of a running runtime")
    func locked() async throws {
        let server = try await runtime(folder.configuration()).start()
        await #expect(throws: DirectoryRefused.self) { _ = try await runtime(folder.configuration()) }
        #expect(try await server.get("/healthz", from: .control).status == 200)
        try await server.stop()
    }

    @Test("A stop does not last longer than its limit")
    func stopLimit() async throws {
        var configuration = folder.configuration()
        configuration.drain = .seconds(3_600)
        configuration.stopLimit = .milliseconds(100)
        let server = try await runtime(configuration).start()
        try await server.stop()
        await #expect(throws: (any Error).self) { try await server.get("/healthz", from: .control) }
    }

    @Test("A stop ends requests that wait", .timeLimit(.minutes(2)))
    func stopsWaiting() async throws {
        var configuration = folder.configuration()
        configuration.isDemo = true
        let server = try await runtime(configuration).start()
        let scope = AccountScope(environment: .sandbox, app: DemoCatalog.bundleID)
        async let waiting = server.get("/v1/apps/\(DemoCatalog.bundleID)/sandbox/listen?wait=50", from: .control)
        while server.runtime.shop.listeners.registration(in: scope) == nil {
            try await Task.sleep(for: .milliseconds(10))
        }
        let begun = ContinuousClock.now
        try await server.stop()
        #expect(ContinuousClock.now - begun < .seconds(25))
        #expect(try await waiting.status == 200)
    }

    @Test("A cancelled start leaves no port open")
    func cancelled() async throws {
        let runtime = try await runtime(folder.configuration())
        let start = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await runtime.start()
        }
        await #expect(throws: CancellationError.self) { _ = try await start.value }
        let next = try await self.runtime(folder.configuration()).start()
        try await next.stop()
    }
}

private struct CallbackFailure: Error {}
