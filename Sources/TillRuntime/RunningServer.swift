import ServiceLifecycle

/// A server that runs in its own task.
package struct RunningServer: Sendable {
    /// The server that runs.
    package let runtime: Runtime
    let group: ServiceGroup
    let task: Task<Void, any Error>

    /// The URL of the control API, of production or of the sandbox, as reached on this machine.
    package func address(_ listener: ListenerKind) -> String {
        runtime.configuration.url(of: listener, runtime.ports, isNear: true)
    }

    /// Stops the server in order. Returns when its store is closed and its directory is unlocked.
    ///
    /// - Throws: the error of a service that failed earlier.
    package func stop() async throws {
        await group.triggerGracefulShutdown()
        try await task.value
    }
}
