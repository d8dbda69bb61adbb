import ServiceLifecycle

/// Announces the server once every port is open. If that fails, the server ends, because no command could find it.
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
        // The wait ends with the server; no other task cancels it.
        try? await gracefulShutdown()
    }
}
