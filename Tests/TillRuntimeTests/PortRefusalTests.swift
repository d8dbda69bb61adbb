import Foundation
import Testing
import TillShop

@testable import TillRuntime

@Suite("A port that cannot be used")
struct PortRefusalTests {
    private let folder = RuntimeFolder()

    @Test("The runtime refuses a taken port before it creates anything")
    func taken() async throws {
        let server = try await Runtime(RuntimeFolder.ephemeral(), logger: RuntimeFolder.logger).start()
        let port = server.runtime.ports[.sandbox]
        var configuration = folder.configuration()
        configuration.controlPort = port
        let refused = await #expect(throws: PortRefused.self) {
            _ = try await Runtime(configuration, logger: RuntimeFolder.logger)
        }
        #expect(refused?.listener == .control)
        #expect(refused?.port == port)
        #expect(refused?.code == EADDRINUSE)
        #expect(!FileManager.default.fileExists(atPath: folder.directory.path))
        try await server.stop()
    }

    @Test("The runtime stops in order when a port is taken after the check")
    func takenLater() async throws {
        let first = try await Runtime(RuntimeFolder.ephemeral(), logger: RuntimeFolder.logger).start()
        let port = first.runtime.ports[.production]
        try await first.stop()
        var configuration = folder.configuration()
        configuration.productionPort = port
        let late = try await Runtime(configuration, logger: RuntimeFolder.logger)
        var other = RuntimeFolder.ephemeral()
        other.sandboxPort = port
        let second = try await Runtime(other, logger: RuntimeFolder.logger).start()
        let refused = await #expect(throws: PortRefused.self) { _ = try await late.start() }
        #expect(refused?.listener == .production)
        #expect(refused?.code == EADDRINUSE)
        try await second.stop()
        // The data directory is unlocked again.
        let next = try await Runtime(configuration, logger: RuntimeFolder.logger).start()
        #expect(next.runtime.ports[.production] == port)
        try await next.stop()
    }

    @Test("The runtime refuses two listeners on the same port")
    func same() async throws {
        var configuration = folder.configuration()
        configuration.productionPort = 40_001
        configuration.sandboxPort = 40_001
        let refused = #expect(throws: RuntimeRefused.self) { try configuration.requirePorts() }
        let words = "--production-port and --sandbox-port are both 40001. Choose two ports."
        #expect(refused?.description == words)
    }

    @Test("The refusal names the port and the flag", arguments: ListenerKind.allCases)
    func text(listener: ListenerKind) {
        for code in [EADDRINUSE, EACCES, EADDRNOTAVAIL, ENOMEM] {
            let text = PortRefused(listener: listener, port: 4_711, code: code).description
            #expect(text.contains("4711") && text.contains("--\(listener.rawValue)-port"), "\(text)")
        }
    }
}
