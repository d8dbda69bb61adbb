import AsyncHTTPClient
import Foundation
import Logging
import NIOCore
import NIOHTTP1
import TillRuntime
import TillShop

/// A data directory for the runtimes of one test. It is removed when the test releases this object.
final class RuntimeFolder: Sendable {
    let directory = DataDirectory(NSTemporaryDirectory() + "till-runtime-\(UUID().uuidString)")

    deinit { try? FileManager.default.removeItem(atPath: directory.path) }

    /// A configuration whose ports the system chooses.
    func configuration() -> RuntimeConfiguration { Self.onFreePorts(directory) }

    /// A configuration without a data directory, whose ports the system chooses.
    static func ephemeral() -> RuntimeConfiguration { onFreePorts(nil) }

    private static func onFreePorts(_ directory: DataDirectory?) -> RuntimeConfiguration {
        var configuration = RuntimeConfiguration(directory: directory)
        configuration.productionPort = 0
        configuration.sandboxPort = 0
        configuration.controlPort = 0
        return configuration
    }

    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension RunningServer {
    /// Reports a closed port at once, instead of retrying until the timeout.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a request, and returns the status and the body of the answer.
    func get(_ path: String, from listener: ListenerKind) async throws -> (status: UInt, body: String) {
        let request = HTTPClientRequest(url: address(listener) + path)
        let answer = try await Self.client.execute(request, timeout: .seconds(60))
        let body = try await answer.body.collect(upTo: 1 << 20)
        return (answer.status.code, String(buffer: body))
    }
}
