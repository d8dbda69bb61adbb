import Foundation
import Logging
import Metrics
import Synchronization
import TillCore
import TillStorage

/// This server as one of the nodes that share a database (docs/operating/scale.md).
///
/// A node sends heartbeats, works on a share of the partitions, and reloads configuration that other nodes have
/// changed. The database rejects writes based on stale data (`WritePrecondition`), so a slow node cannot corrupt data.
package final class Cluster: Sendable {
    /// The functions of the shop that react to changes by other nodes.
    struct Follower: Sendable {
        /// Reloads the documents of these kinds; in a new epoch, reloads everything.
        let reload: @Sendable (Set<DocumentKind>, _ isNewEra: Bool) async throws -> Void
        /// Checks all clocks again, because this node's partitions changed or it may have missed an event.
        let checkAllClocks: @Sendable () async -> Void
    }

    struct State {
        /// This node's current id. A node that was removed joins again with a new id.
        var id: String
        var seen: ConfigurationVersions
        var noted: Int64 = 0
        /// The instant until which the other nodes certainly consider this node alive.
        var believedUntil: ContinuousClock.Instant
        var view: NodesView
        /// Leases that this node holds or is acquiring.
        var leases: Set<String> = []
        /// Leases that are stored under this node's id, but that this node did not know at the last heartbeat.
        var orphans: Set<String> = []
        var share = WorkShare()
        /// The names of the leases that this node tried to acquire since the last heartbeat.
        var touched: Set<String> = []
        var hasLeft = false
        /// The id used in the last attempt to join again. The attempt may have succeeded although no answer arrived.
        var attempted: String?
        /// Whether another server has joined under this node's name.
        var isReplaced = false

        /// Whether the other nodes certainly consider this node alive. Otherwise they may have taken over its work.
        var isBelieved: Bool { ContinuousClock.now < believedUntil }

        /// Records that the other nodes consider this node alive until an instant.
        ///
        /// - Returns: whether they may have considered this node dead until now.
        mutating func believe(until instant: ContinuousClock.Instant) -> Bool {
            let now = ContinuousClock.now
            defer { believedUntil = max(believedUntil, instant) }
            return believedUntil <= now && instant > now
        }
    }

    let storage: any SharedStorage
    let logger: Logger
    private let name: String
    private let rejoins: Counter
    /// How long a node is considered alive without a heartbeat.
    let lease: Duration
    let state: Mutex<State>
    private let replacementEpochs: Synchronized<ReplacementEpochs>
    let follower = Synchronized<Follower?>(nil)
    private let turns = AccountLocks()
    /// The value of `storage.written` when all nodes had last loaded this node's changes.
    private let settled = Synchronized(0)
    /// Registers this server as a node.
    ///
    /// - Parameters:
    ///   - name: the name of this server. An earlier node with this name is removed.
    ///   - lease: the maximum time until other nodes take over the work of a node that has crashed.
    ///   - metrics: creates the counter of the times that this node joins again.
    package static func join(
        _ storage: any SharedStorage,
        name: String,
        lease: Duration,
        logger: Logger,
        metrics: any MetricsFactory = NOOPMetricsHandler.instance
    ) async throws -> Cluster {
        // The last quarter is for the other nodes, which need time to notice that a registration has expired.
        let belief = lease * 3 / 4
        let id = newID(name)
        let sent = ContinuousClock.now
        try await storage.join(id, name: name, lease: belief)
        let state = State(
            id: id,
            seen: try await storage.configurationVersions(),
            believedUntil: sent + belief,
            view: NodesView(seen: [id: 0], leases: [])
        )
        storage.keepAlive(id, lease: belief)
        return Cluster(storage, name, belief, state, logger, Metric.clusterRejoins.counter(factory: metrics))
    }

    private init(
        _ storage: any SharedStorage,
        _ name: String,
        _ lease: Duration,
        _ state: State,
        _ logger: Logger,
        _ rejoins: Counter
    ) {
        self.storage = storage
        self.name = name
        self.lease = lease
        self.state = Mutex(state)
        replacementEpochs = Synchronized(ReplacementEpochs(all: state.seen.epoch))
        self.logger = logger
        self.rejoins = rejoins
    }

    private static func newID(_ name: String) -> String { "\(name)#\(UUID().uuidString.prefix(8).lowercased())" }
    private static func name(ofID id: String) -> Substring { id[..<(id.lastIndex(of: "#") ?? id.endIndex)] }

    /// The ids of all nodes that are considered alive, including this one.
    package var nodes: [String] { state.withLock { $0.view.seen.keys.sorted() } }
    /// This node's id.
    package var id: String { state.withLock { $0.id } }
    /// The error with which this node must end, if another server has joined under its name; otherwise nil.
    var replaced: NodeReplaced? { state.withLock { $0.isReplaced ? NodeReplaced(name: name) : nil } }
    /// Whether this node knows no other node.
    var isAlone: Bool { state.withLock { $0.view.seen.count <= 1 } }

    /// The precondition for a write made now.
    var writePrecondition: WritePrecondition {
        state.withLock { WritePrecondition(node: $0.id, epoch: $0.seen.epoch, configurationVersion: $0.seen.sum) }
    }

    /// The epochs in which the data of the apps was last replaced.
    var replacements: ReplacementEpochs { replacementEpochs.value }

    // MARK: Heartbeats

    /// Sends a heartbeat, reads the list of live nodes, and acquires or releases work accordingly.
    func renew() async throws {
        // Heartbeats run one after another, because each assigns work by the nodes that it has read.
        try await turns.holding(["beat"]) { try await renewNow() }
    }

    private func renewNow() async throws {
        let (id, seen, hasLeft) = state.withLock { ($0.id, $0.seen.sum, $0.hasLeft) }
        guard !hasLeft else { return }
        let sent = ContinuousClock.now
        guard let view = try await storage.renew(id, seen: seen, lease: lease) else { return try await rejoin() }
        let (orphans, isAnyGone, wasLost) = state.withLock { state in
            let isAnyGone = !state.view.seen.keys.allSatisfy { view.seen[$0] != nil }
            state.view = view
            let wasLost = state.believe(until: sent + lease)
            state.noted = seen
            // Leases whose release failed are orphaned and must be released here. A lease counts as orphaned only after
            // two heartbeats, because a lease that is being released now may be acquired again in a moment.
            let unknown = Set(view.leases.filter { $0.node == id && !state.leases.contains($0.name) }.map(\.name))
            defer {
                state.orphans = unknown
                state.touched = []
            }
            return (unknown.intersection(state.orphans).subtracting(state.touched), isAnyGone, wasLost)
        }
        if !orphans.isEmpty { try await storage.release(Array(orphans), of: id) }
        try await shareWork(view, id)
        try await follow()
        // A node that is gone may not have published its last events.
        if isAnyGone || wasLost { await follower.value?.checkAllClocks() }
    }

    /// Records that the other nodes considered this node alive at an instant.
    func noteAlive(_ asked: ContinuousClock.Instant) {
        let wasLost = state.withLock { $0.believe(until: asked + lease) }
        // While the other nodes may have considered this node dead, it processed no due events.
        if wasLost { Task.detached { await self.follower.value?.checkAllClocks() } }
    }

    /// Joins again after the other nodes removed this node. Work that it began before can no longer be written.
    ///
    /// - Throws: `NodeReplaced` if another server has joined under this node's name. Otherwise two servers with the
    ///   same name would remove each other again and again.
    private func rejoin() async throws {
        let known = state.withLock { [$0.id, $0.attempted] }
        if try await storage.seen().keys.contains(where: { !known.contains($0) && Self.name(ofID: $0) == name }) {
            state.withLock { state in
                state.isReplaced = true
                state.hasLeft = true
            }
            throw NodeReplaced(name: name)
        }
        let id = Self.newID(name)
        state.withLock { $0.attempted = id }
        logger.warning("the other nodes had removed this node; it joins again", metadata: ["node": "\(id)"])
        let sent = ContinuousClock.now
        try await storage.join(id, name: name, lease: lease)
        storage.keepAlive(id, lease: lease)
        state.withLock { state in
            state.id = id
            state.believedUntil = sent + lease
            state.view = NodesView(seen: [id: 0], leases: [])
            state.leases = []
            state.share.clear()
            state.noted = 0
        }
        rejoins.increment()
        try await follow()
    }

    /// Removes this node's registration, so that the other nodes can take over its work at once.
    func leave() async {
        let id = state.withLock { state in
            state.share.clear()
            state.hasLeft = true
            return state.id
        }
        let storage = storage
        do {
            // Detached, so that the node also leaves when its start failed and all tasks are cancelled.
            try await Task.detached { try await storage.leave(id) }.value
        } catch {
            logger.warning("the other nodes were not notified of the stop", metadata: ["cause": "\(error.logText)"])
        }
    }

    // MARK: Following

    /// Reloads configuration that was changed. On return, this node has all configuration that the store had at the
    /// call.
    func follow() async throws {
        let noted: Int64? = try await turns.holding(["follow"]) {
            let before = state.withLock { $0.seen }
            let now = try await storage.configurationVersions()
            if now != before {
                let kinds = now.values.filter { before.values[$0.key] != $0.value }.keys
                let changed = Set(kinds.compactMap(DocumentKind.init(rawValue:)))
                try await follower.value?.reload(changed, now.epoch != before.epoch)
            }
            if now.epoch != before.epoch {
                var epochs = replacementEpochs.value
                epochs.add(try await storage.replacements(after: before.epoch), upTo: now.epoch)
                replacementEpochs.value = epochs
            }
            return state.withLock { state in
                state.seen = now
                defer { state.noted = now.sum }
                return state.noted == now.sum ? nil : now.sum
            }
        }
        if let noted { try await storage.note(seen: noted, by: id) }
    }

    /// Called after the database rejected a write. On return, this node has current data and can repeat its decision.
    func catchUp() async throws {
        let before = writePrecondition
        try await follow()
        // The precondition is unchanged, so the other nodes must have removed this node.
        if writePrecondition == before { try await renew() }
    }

    /// Waits until every live node has loaded what this node wrote, so that any node answers the next request
    /// correctly.
    func settle() async {
        let written = storage.written
        guard written != settled.value else { return }
        do {
            try await follow()
            let wanted = state.withLock { $0.seen.sum }
            let end = ContinuousClock.now + lease
            while ContinuousClock.now < end {
                let id = self.id
                if try await storage.seen().allSatisfy({ $0.key == id || $0.value >= wanted }) { break }
                try await Task.sleep(for: .milliseconds(5))
            }
            settled.value = written
        } catch {
            logger.warning(
                "could not check whether the other nodes loaded the new configuration",
                metadata: ["cause": "\(error.logText)"]
            )
        }
    }
}

/// Another server joined the database under this node's name. The server that joined last stays.
package struct NodeReplaced: Error, CustomStringConvertible {
    let name: String

    package var description: String {
        "Another server joined this database as node \(name) and replaced this one. Give each server its own "
            + "--node-name (TILL_NODE_NAME)."
    }
}
