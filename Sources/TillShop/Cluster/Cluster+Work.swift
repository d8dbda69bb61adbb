import Logging
import Synchronization
import TillCore
import TillStorage

/// The work of this node: due events in its share of the partitions, and tasks for which it holds a lease.
extension Cluster {
    // MARK: Parts

    /// The partitions assigned to this node. Adjacent partitions are combined into one range.
    var parts: [Range<Int64>] { state.withLock { $0.isBelieved ? $0.share.ranges : [] } }

    /// Whether a partition is assigned to this node.
    func worksOn(_ partition: Partition) -> Bool { parts.contains { $0.contains(partition.number) } }

    /// Begins work in a partition. Until the work ends, the partition is not released to another node.
    ///
    /// - Returns: false if the partition is not assigned to this node.
    func begin(in partition: Partition) -> Bool {
        state.withLock { $0.isBelieved && $0.share.begin(in: partition) }
    }

    /// Ends work that was begun with ``begin(in:)``.
    func end(in partition: Partition) { state.withLock { $0.share.end(in: partition) } }

    /// Releases the partitions that are now assigned to other nodes, and acquires the free partitions of this node's
    /// share.
    func shareWork(_ view: NodesView, _ id: String) async throws {
        let nodes = view.seen.keys.sorted()
        guard let place = nodes.firstIndex(of: id) else { return }
        let division = state.withLock { state in
            let division = state.share.divide(place, of: nodes.count)
            for part in division.idle { state.leases.remove(Self.leaseName(part)) }
            return division
        }
        // If a planned release was cancelled, the due events of that partition were not processed in between.
        if division.isBack { await follower.value?.checkAllClocks() }
        if !division.idle.isEmpty {
            try await storage.release(division.idle.map(Self.leaseName), of: id)
            try await storage.publish(NodeMessage.nodes)
        }
        let taken = Set(view.leases.map(\.name))
        let free = division.wanted.filter { !taken.contains(Self.leaseName($0)) }
        guard !free.isEmpty else { return }
        let got = try await take(free.map { Lease(name: Self.leaseName($0), node: id) })
        let parts = free.filter { got.contains(Self.leaseName($0)) }
        let held = state.withLock { state in
            if state.id == id { state.share.add(parts) }
            return state.share.portion
        }
        guard !parts.isEmpty else { return }
        logger.notice("took over work", metadata: ["share": "\(held)", "nodes": .stringConvertible(nodes.count)])
        await follower.value?.checkAllClocks()
    }

    private static func leaseName(_ part: Int) -> String { "part/\(part)" }

    // MARK: Leases

    /// Runs a body under a lease, so that only one node at a time runs a body of this name. The database rejects the
    /// body's writes if this node was removed meanwhile.
    ///
    /// - Parameter check: called while waiting for the lease; throws to end the wait.
    func holding<Value: Sendable>(
        _ name: String,
        _ check: () throws -> Void,
        _ body: () async throws -> Value
    ) async throws -> Value {
        var pause = Duration.milliseconds(4)
        var id = self.id
        while try await take([Lease(name: name, node: id)]).isEmpty {
            try check()
            try await Task.sleep(for: pause)
            // The other nodes may have removed this node.
            if pause >= .milliseconds(100) { try await renew() }
            pause = min(pause * 2, .milliseconds(100))
            id = self.id
        }
        let node = id
        do {
            try await follow()
            let held = WritePrecondition(node: node, epoch: writePrecondition.epoch, configurationVersion: nil)
            let value = try await WritePrecondition.$held.withValue(held) { try await body() }
            await giveBack(name, of: node)
            return value
        } catch {
            await giveBack(name, of: node)
            throw error
        }
    }

    /// Acquires those of the leases that are free.
    ///
    /// - Returns: the names of the acquired leases.
    func take(_ leases: [Lease]) async throws -> Set<String> {
        let names = Set(leases.map(\.name))
        // Recorded before the store is called, because a heartbeat releases leases that this node does not know.
        let wanted = state.withLock { state in
            let new = names.subtracting(state.leases)
            state.leases.formUnion(new)
            state.touched.formUnion(names)
            return new
        }
        do {
            let taken = try await storage.take(leases)
            state.withLock { $0.leases.subtract(wanted.subtracting(taken)) }
            return taken
        } catch {
            state.withLock { $0.leases.subtract(wanted) }
            throw error
        }
    }

    /// Releases a lease. If that fails, a later heartbeat releases it.
    func giveBack(_ name: String, of node: String) async {
        state.withLock { _ = $0.leases.remove(name) }
        let storage = storage
        // Detached, so that the lease is also released when the work was cancelled.
        _ = try? await Task.detached { try await storage.release([name], of: node) }.value
    }

    /// Whether this node holds a lease, as far as it knows.
    func has(_ name: String) -> Bool { state.withLock { $0.leases.contains(name) } }

    /// Leases of other nodes whose names have this prefix.
    func leasesOfOthers(_ prefix: String) -> [Lease] {
        state.withLock { state in state.view.leases.filter { $0.node != state.id && $0.name.hasPrefix(prefix) } }
    }

    /// The number of leases that this node holds, as far as it knows.
    var leaseCount: Int { state.withLock { $0.leases.count } }

    /// Whether the other nodes certainly consider this node alive.
    var isMember: Bool { state.withLock { $0.isBelieved && !$0.hasLeft } }

    /// Whether any node held a lease at the last heartbeat.
    func isTaken(_ name: String) -> Bool { state.withLock { $0.view.leases.contains { $0.name == name } } }
}
