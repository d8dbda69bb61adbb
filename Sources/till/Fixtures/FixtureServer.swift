import Foundation
import Logging
import TillControl
import TillRuntime
import TillShop

/// A server in the process of `till fixtures`, whose real time does not pass, so that dates do not depend on when the
/// command runs. It keeps its data in memory, and listens on loopback ports that the system chooses.
struct FixtureServer {
    /// The time at which everything begins: 2026-01-05, 10:00 UTC.
    static let start = Timestamp(milliseconds: 1_767_607_200_000)

    private let server: RunningServer
    let client: ControlClient

    static func started() async throws -> FixtureServer {
        var configuration = RuntimeConfiguration(directory: nil)
        (configuration.productionPort, configuration.sandboxPort, configuration.controlPort) = (0, 0, 0)
        // Certificates contain an OCSP URL. No responder knows these certificates once the server has stopped.
        configuration.ocspURL = "http://127.0.0.1:8888/ocsp"
        configuration.stopLimit = .seconds(10)
        configuration.wallClock = { start }
        var logger = Logger(label: "till", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .error
        let server = try await Runtime(configuration, logger: logger).start()
        return FixtureServer(
            server: server,
            client: ControlClient(server.address(.control), http: WebClient.http)
        )
    }

    /// The URL of the App Store Server API in an environment.
    func address(of environment: StoreEnvironment) -> String {
        server.address(environment == .production ? .production : .sandbox)
    }

    func stop() async throws { try await server.stop() }
}
