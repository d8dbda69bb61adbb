import ServiceLifecycle
import TillServer

/// Runs the proxy until the server stops.
struct ProxyService: Service {
    let proxy: ConnectProxy
    let running: @Sendable (Int) async -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await proxy.run(running: running) }
        } catch is CancellationError {
            return
        }
    }
}
