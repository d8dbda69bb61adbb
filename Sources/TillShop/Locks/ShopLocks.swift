import TillStorage

/// The locks of the shop, and whether the server is stopping.
package final class ShopLocks: Sendable {
    /// The lock that all work that writes holds in shared mode, and a restore exclusively. It is taken where work
    /// enters the shop, not by the functions that do the work.
    package let gate = AsyncReadWriteLock()
    /// The locks by name of this node, such as those of accounts.
    let named = AccountLocks()
    /// The other servers that share the database; nil if this is the only server.
    let cluster: Cluster?
    /// Whether the server is stopping. Long operations then end after their current step and continue after a restart.
    let isStopping = Synchronized(false)
    /// Whether the server will stop soon. It still answers, but load balancers should not send it new clients.
    package let isDraining = Synchronized(false)

    init(cluster: Cluster?) { self.cluster = cluster }

    /// - Throws: `ShopBusy` if the server is stopping.
    func checkStopping() throws {
        if isStopping.value { throw ShopBusy(reason: "the server is stopping; it continues this after a restart") }
    }

    /// Runs a body under a named lock that all nodes share. The caller holds the shared lock of the shop.
    package func exclusively<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        guard let cluster else { return try await exclusivelyHere(name, body) }
        return try await exclusivelyHere(name) {
            do {
                return try await cluster.holding(name, checkWaiting, body)
            } catch is PreconditionFailed {
                throw ShopBusy(reason: "all data was replaced, or another node took over this work")
            }
        }
    }

    /// Ends the wait for a lock that another node holds, because the waiting caller would block a restore on this node.
    private func checkWaiting() throws {
        try checkStopping()
        if gate.waitingToBeAlone > 0 { throw ShopBusy(reason: "all data is being replaced") }
    }

    /// Runs a body under a named lock of this node.
    package func exclusivelyHere<Value: Sendable>(
        _ name: String,
        _ body: () async throws -> Value
    ) async throws -> Value {
        try await named.holding([name], body)
    }
}
