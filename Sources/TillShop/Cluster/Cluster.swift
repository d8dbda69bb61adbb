import Foundation
import Logging
import Synchronization
import TillCore
import TillStorage

/// This server as one of the nodes that share a database (docs/operating/scale.md).
///
/// It says that it lives, works on a part of the partitions, and follows what the others set up. What it does by an
/// older knowledge the engine refuses (`WritePrecondition`), so that being late is never being wrong.
package final class Cluster: Sendable {
    /// What the shop does when others changed something.
    struct Follower: Sendable {
        /// Reads documents of these kinds again; everything, when everything was replaced.
        let reload: @Sendable (Set<DocumentKind>, _ isNewEra: Bool) async throws -> Void
        /// Looks at all clocks again: this node works on other partitions now, or may have missed a word.
        let lookAround: @Sendable () async -> Void
        /// Something fell due, or is owed, by what another node did.
        let hear: @Sendable (NodeEvent) -> Void
    }

    struct State {
        /// Of this stay among the nodes; another after they gave this one up.
        var id: String
        var seen: ConfigurationVersions
        var noted: Int64 = 0
        /// Until when the others believe that this node lives, at least.
        var believedUntil: ContinuousClock.Instant
        var view: NodesView
        /// Leases that this node has or is about to have.
        var leases: Set<String> = []
        /// Those that the store has under its id, and of which it did not know at the last beat.
        var strays: Set<String> = []
        /// Physical partitions whose work is this node's.
        var parts: Set<Int> = []
        /// Those that go to another node as soon as nothing is under way in them.
        var parting: Set<Int> = []
        var underWay: [Int: Int] = [:]
        /// Names of leases that were taken since the last beat.
        var touched: Set<String> = []
        var hasLeft = false
        /// Under which it last tried to come back; whether that was heard may not be known.
        var attempted: String?
        /// Another server has its name, and so its place.
        var isReplaced = false

        /// - Returns: whether the others may have believed otherwise until now.
        mutating func believe(until instant: ContinuousClock.Instant) -> Bool {
            let now = ContinuousClock.now
            defer { believedUntil = max(believedUntil, instant) }
            return believedUntil <= now && instant > now
        }
    }

    let storage: any SharedStorage
    let logger: Logger
    private let name: String
    /// How long a node is believed to live without a word.
    let lease: Duration
    let state: Mutex<State>
    let follower = Synchronized<Follower?>(nil)
    private let turns = AccountLocks()
    /// How many documents were written when all nodes were last known to have followed.
    private let settled = Synchronized(0)
    /// Parts of the work that go from node to node.
    static let partCount = 32
    static let partSize = Int64(1_024 / partCount)

    /// Enters the nodes.
    ///
    /// - Parameters:
    ///   - name: of the place where the server runs; an earlier server of this name has ended.
    ///   - lease: how long the work of a node that vanished may wait at the most.
    package static func join(
        _ storage: any SharedStorage,
        name: String,
        lease: Duration,
        logger: Logger
    ) async throws -> Cluster {
        // Some of it is spent on noticing.
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
        return Cluster(storage, name, belief, state, logger)
    }

    private init(
        _ storage: any SharedStorage,
        _ name: String,
        _ lease: Duration,
        _ state: State,
        _ logger: Logger
    ) {
        self.storage = storage
        self.name = name
        self.lease = lease
        self.state = Mutex(state)
        self.logger = logger
    }

    private static func newID(_ name: String) -> String { "\(name)#\(UUID().uuidString.prefix(8).lowercased())" }
    private static func name(ofID id: String) -> Substring { id[..<(id.lastIndex(of: "#") ?? id.endIndex)] }

    /// The ids of all nodes that are believed to live, this one among them.
    package var nodes: [String] { state.withLock { $0.view.seen.keys.sorted() } }
    /// This node's id.
    package var id: String { state.withLock { $0.id } }
    /// Why this node must end, where another server took its name.
    var replaced: NodeReplaced? { state.withLock { $0.isReplaced ? NodeReplaced(name: name) : nil } }
    /// Whether no other node is known.
    var isAlone: Bool { state.withLock { $0.view.seen.count <= 1 } }

    /// On what a decision made now hangs.
    var writePrecondition: WritePrecondition {
        state.withLock { WritePrecondition(node: $0.id, era: $0.seen.era, configurationVersion: $0.seen.sum) }
    }

    // MARK: Saying that one lives

    /// Says so, hears who else does, and takes or gives back work accordingly.
    func beat() async throws {
        // One at a time: work is given and taken by what the last one showed.
        try await turns.holding(["beat"]) { try await beatNow() }
    }

    private func beatNow() async throws {
        let (id, seen, hasLeft) = state.withLock { ($0.id, $0.seen.sum, $0.hasLeft) }
        guard !hasLeft else { return }
        let sent = ContinuousClock.now
        guard let view = try await storage.beat(id, seen: seen, lease: lease) else { return try await rejoin() }
        let (strays, isAnyGone, wasLost) = state.withLock { state in
            let isAnyGone = !state.view.seen.keys.allSatisfy { view.seen[$0] != nil }
            state.view = view
            let wasLost = state.believe(until: sent + lease)
            state.noted = seen
            // Those that could not be given back when they ought to have been: seen twice, because one that is on its
            // way back now may be taken again in a moment.
            let unknown = Set(view.leases.filter { $0.node == id && !state.leases.contains($0.name) }.map(\.name))
            defer {
                state.strays = unknown
                state.touched = []
            }
            return (unknown.intersection(state.strays).subtracting(state.touched), isAnyGone, wasLost)
        }
        if !strays.isEmpty { try await storage.release(Array(strays), of: id) }
        try await shareWork(view, id)
        try await follow()
        // Its last words may not have been said.
        if isAnyGone || wasLost { await follower.value?.lookAround() }
    }

    /// This node still lived for the others when it asked.
    func noteAlive(_ asked: ContinuousClock.Instant) {
        let wasLost = state.withLock { $0.believe(until: asked + lease) }
        // What fell due meanwhile was not looked at.
        if wasLost { Task.detached { await self.follower.value?.lookAround() } }
    }

    /// The others have given this node up: nothing that it began is written any more, and it begins anew.
    ///
    /// - Throws: `NodeReplaced` where another has its name by now: two that call themselves the same would end each
    ///   other without end.
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
        logger.warning("the other nodes had given this one up; it joins them again", metadata: ["node": "\(id)"])
        let sent = ContinuousClock.now
        try await storage.join(id, name: name, lease: lease)
        storage.keepAlive(id, lease: lease)
        state.withLock { state in
            state.id = id
            state.believedUntil = sent + lease
            state.view = NodesView(seen: [id: 0], leases: [])
            state.leases = []
            state.parts = []
            state.parting = []
            state.noted = 0
        }
        try await follow()
    }

    /// Ends this node; its work is free at once.
    func leave() async {
        let id = state.withLock { state in
            state.parts = []
            state.hasLeft = true
            return state.id
        }
        let storage = storage
        do {
            // Also where a start failed and everything is cancelled.
            try await Task.detached { try await storage.leave(id) }.value
        } catch {
            logger.warning("the other nodes were not told of the end", metadata: ["cause": "\(error.logText)"])
        }
    }

    // MARK: Following

    /// Returns when all that the store had at the call is held in memory.
    func follow() async throws {
        let noted: Int64? = try await turns.holding(["follow"]) {
            let before = state.withLock { $0.seen }
            let now = try await storage.configurationVersions()
            if now != before {
                let kinds = now.values.filter { before.values[$0.key] != $0.value }.keys
                let changed = Set(kinds.compactMap(DocumentKind.init(rawValue:)))
                try await follower.value?.reload(changed, now.era != before.era)
            }
            return state.withLock { state in
                state.seen = now
                defer { state.noted = now.sum }
                return state.noted == now.sum ? nil : now.sum
            }
        }
        if let noted { try await storage.note(seen: noted, by: id) }
    }

    /// After something was overtaken: returns when it can be decided again.
    func catchUp() async throws {
        let before = writePrecondition
        try await follow()
        // Nothing was changed: then it is this node that was given up.
        if writePrecondition == before { try await beat() }
    }

    /// Returns when every node that lives has followed what this one wrote, so that whichever is asked next knows.
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
                "nobody knows whether the other nodes have followed",
                metadata: ["cause": "\(error.logText)"]
            )
        }
    }
}

/// Another server of the same name works on the database; the one that came last stays.
package struct NodeReplaced: Error, CustomStringConvertible {
    let name: String

    package var description: String {
        "Another server calls itself \(name) on this database, and took this one's place. Give each one a "
            + "--node-name of its own (TILL_NODE_NAME)."
    }
}
