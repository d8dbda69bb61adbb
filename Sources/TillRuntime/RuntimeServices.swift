import NIOCore
import ServiceLifecycle
import TillServer
import TillShop

/// Announces the server once every port is open. If the announcement fails, the server stops, because clients could not
/// find it.
struct Announcer: Service {
    let ports: Ports
    let announce: @Sendable (Ports) async throws -> Void
    private let opened = AsyncStream<Void>.makeStream()

    /// Records the port of a listener that has opened.
    func note(_ listener: ListenerKind, _ port: Int) {
        if ports.set(listener, port) { opened.continuation.yield() }
    }

    func run() async throws {
        _ = await opened.stream.cancelOnGracefulShutdown().first { _ in true }
        if ports.areOpen { try await announce(ports) }
        // This service must run until the server stops. Only the server cancels the wait.
        try? await gracefulShutdown()
    }
}

/// The first service to stop. It delays the stop of the others: `/readyz` reports that the server is not ready, and the
/// server still answers for a while, so that a load balancer can remove it. Then it stops long operations, because the
/// listeners stop only after their last request.
struct Drain: Service {
    let shop: Shop
    let time: Duration
    let ports: Ports

    func run() async throws {
        defer { shop.stopLongWork() }
        // The other services stop after this one, so this wait must not be cancelled.
        try await gracefulShutdown()
        shop.locks.isDraining.value = true
        // No client can use a server that never opened all its ports, so there is nothing to wait for.
        guard ports.areOpen else { return }
        try? await Task.sleep(for: time)
    }
}

/// Gives a service a name. The service library writes each service as text to the log. Without a description this text
/// would contain all values of the service.
struct NamedService: Service, CustomStringConvertible, CustomDebugStringConvertible {
    /// A text of its own, because Swift needs 0.3 ms to find the name of the type of each service.
    let name: String
    let service: any Service
    var description: String { name }
    var debugDescription: String { name }

    init(_ name: String, _ service: any Service) { (self.name, self.service) = (name, service) }

    func run() async throws { try await service.run() }
}

/// A listener whose errors name its port, and the flag with which the operator chooses another port.
struct NamedListener: Service {
    let service: any Service
    let listener: ListenerKind
    let port: Int

    func run() async throws {
        do {
            try await service.run()
        } catch let error as IOError {
            throw PortRefused(listener: listener, port: port, code: error.errnoCode)
        }
    }
}

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
