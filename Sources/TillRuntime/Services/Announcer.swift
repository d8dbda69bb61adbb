import ServiceLifecycle

/// Announces the server once every port is open. If the announcement fails, the server stops, because clients could not
/// find it.
struct Announcer: Service {
    private let ports: Ports
    private let announce: @Sendable (Ports) async throws -> Void
    private let opened = AsyncStream<Void>.makeStream()

    init(_ ports: Ports, announce: @escaping @Sendable (Ports) async throws -> Void) {
        self.ports = ports
        self.announce = announce
    }

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
