import ServiceLifecycle

/// Says that the server is ready once every port is open. A server that cannot say so ends: nobody would find it.
struct Announcer: Service {
    private let announcement: Announcement
    private let ports: Ports
    private let check: @Sendable (Ports) -> Void
    private let opened = AsyncStream<Void>.makeStream()

    /// - Parameter check: called with the ports before the announcement.
    init(_ announcement: Announcement, _ ports: Ports, check: @escaping @Sendable (Ports) -> Void) {
        self.announcement = announcement
        self.ports = ports
        self.check = check
    }

    /// Called with each port as it opens.
    func note(_ face: Ports.Face, _ port: Int) {
        if ports.set(face, port) { opened.continuation.yield() }
    }

    func run() async throws {
        _ = await opened.stream.cancelOnGracefulShutdown().first { _ in true }
        if ports.areOpen {
            check(ports)
            try announcement.make(ports)
        }
        // Nobody cancels the wait: it ends with the server.
        try? await gracefulShutdown()
    }
}
