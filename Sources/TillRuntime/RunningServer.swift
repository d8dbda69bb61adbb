import ServiceLifecycle

/// A server that runs in a task of its own.
package struct RunningServer: Sendable {
    /// What runs.
    package let runtime: Runtime
    private let group: ServiceGroup
    private let task: Task<Void, any Error>

    init(runtime: Runtime, group: ServiceGroup, task: Task<Void, any Error>) {
        self.runtime = runtime
        self.group = group
        self.task = task
    }

    /// The URL of the control API, production or sandbox on this machine.
    package func address(_ listener: ListenerKind) -> String {
        let host = SecureListeners.near(runtime.configuration.host(of: listener))
        return "http://\(host.contains(":") ? "[\(host)]" : host):\(runtime.ports[listener])"
    }

    /// Stops the server in order and waits until its store is closed and its directory unlocked.
    ///
    /// - Throws: the error of a service that had failed.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }
}
