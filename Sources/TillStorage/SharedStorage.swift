import TillCore

/// An engine that several servers (nodes) can share, with one database (docs/operating/scale.md).
///
/// Leases record which node does which work; a lease lasts as long as its node. Every node caches configuration, and
/// each change of a cached document raises the configuration version of its kind. The commit of a node that decided
/// with an older version is rejected.
package protocol SharedStorage: Storage {
    // MARK: Nodes

    /// Registers a node. An earlier node with the same name is removed, even if it still runs; its leases become free.
    ///
    /// - Parameters:
    ///   - id: unique for this start of the server.
    ///   - name: identifies the place where the server runs.
    ///   - lease: how long the registration lasts without a renewal.
    func join(_ id: String, name: String, lease: Duration) async throws

    /// Renews a node's registration and stores the configuration version it has applied. Nodes with expired
    /// registrations are removed.
    ///
    /// - Returns: the live nodes with all leases; nil when this node was removed.
    func renew(_ id: String, seen: Int64, lease: Duration) async throws -> NodesView?

    /// Stores the configuration version that a node has applied, before its next beat.
    func note(seen: Int64, by id: String) async throws

    /// The configuration version that each node has applied, by node id.
    func seen() async throws -> [String: Int64]

    /// Removes a node; its leases become free at once.
    func leave(_ id: String) async throws

    // MARK: Leases

    /// Takes those of the leases that are free.
    ///
    /// - Returns: the names of the leases that were taken; none when the node was removed.
    func take(_ leases: [Lease]) async throws -> Set<String>

    /// All leases.
    func leases() async throws -> [Lease]

    /// Releases leases.
    func release(_ names: [String], of node: String) async throws

    // MARK: Cached configuration

    /// The current configuration versions.
    func configurationVersions() async throws -> ConfigurationVersions

    /// How many times this engine wrote a document that nodes cache, or replaced everything.
    var written: Int { get }

    /// Publishes a message to the other nodes. It is not stored: nodes that do not listen now never receive it.
    func publish(_ word: String) async throws

    /// Subscribes to the messages of all nodes, this one included, until the engine is closed.
    func subscribe(_ receive: @escaping @Sendable (NodeSign) -> Void)

    /// Renews a node's registration regularly, however busy the node is, from `subscribe` until the engine is closed.
    func keepAlive(_ id: String, lease: Duration)

    // MARK: A node's part of what falls due

    /// `dueAccounts` limited to some partitions.
    func dueAccounts(on clock: ClockName, until: Timestamp, in part: Range<Int64>, limit: Int) async throws
        -> [DueAccount]

    /// `nextDue(on:)` limited to some partitions.
    func nextDue(on clock: ClockName, in part: Range<Int64>) async throws -> (account: Timestamp?, delivery: Timestamp?)

    /// `dueDeliveries` limited to some partitions.
    func dueDeliveries(
        to endpoint: String,
        on clock: ClockName,
        until: Timestamp,
        in part: Range<Int64>,
        limit: Int
    ) async throws -> DueDeliveries
}

/// What a node's subscription reports.
package enum NodeSign: Sendable {
    /// Messages may have been missed.
    case missed
    case word(String)
    /// This node was still registered at this instant.
    case alive(ContinuousClock.Instant)
}

/// The messages that engines send themselves so that nodes check for changes; all others are the nodes' own.
package enum NodeMessage {
    /// Nodes joined or left.
    package static let nodes = "nodes"
    /// Cached configuration has changed.
    package static let configurationVersions = "generations"
}

/// The exclusive right of one node to do some work.
package struct Lease: Equatable, Sendable {
    /// Names the work.
    package let name: String
    /// The id of the node that has it.
    package let node: String
    /// Information for the other nodes.
    package let body: String

    /// A lease.
    package init(name: String, node: String, body: String = "") {
        self.name = name
        self.node = node
        self.body = body
    }
}

/// The live nodes and their leases.
package struct NodesView: Equatable, Sendable {
    /// The configuration version that each node has applied, by node id.
    package let seen: [String: Int64]
    /// All leases.
    package let leases: [Lease]

    /// Nodes and leases at one moment.
    package init(seen: [String: Int64], leases: [Lease]) {
        self.seen = seen
        self.leases = leases
    }
}

/// How often cached configuration was changed, by kind; each count only rises.
package struct ConfigurationVersions: Equatable, Sendable {
    /// By `DocumentKind`; under `epoch`, how often everything was replaced.
    package let values: [String: Int64]

    /// Counts.
    package init(_ values: [String: Int64]) { self.values = values }

    /// Rises with each change, so equal sums mean equal versions.
    package var sum: Int64 { values.values.reduce(0, +) }
    /// The epoch. It rises when everything is replaced, and a write of an older epoch is rejected.
    package var epoch: Int64 { values[Self.epoch] ?? 0 }
    /// The key of the epoch.
    package static let epoch = "era"
}

/// What must still hold when a write is committed, besides the versions of its rows; otherwise the engine rejects it.
package struct WritePrecondition: Hashable, Sendable {
    /// The node that decided. A node that was removed can write nothing more.
    package let node: String
    /// The epoch in which it read.
    package let epoch: Int64
    /// The sum of the configuration versions it decided with; nil where cached configuration does not matter.
    package let configurationVersion: Int64?

    /// A precondition.
    package init(node: String, epoch: Int64, configurationVersion: Int64?) {
        self.node = node
        self.epoch = epoch
        self.configurationVersion = configurationVersion
    }

    /// The precondition of the current task's work: its last write depends on what its first read found.
    @TaskLocal package static var held: WritePrecondition?
}

/// A write's precondition no longer holds (`WritePrecondition`). Nothing was written.
package struct PreconditionFailed: Error, CustomStringConvertible {
    /// The error for a write that was overtaken.
    package init() {}

    package var description: String { "another node was first; nothing was changed" }
}

extension DocumentKind {
    /// The kinds of documents that servers cache.
    package static let heldInMemory: Set<DocumentKind> = [
        .team, .app, .key, .catalog, .rules, .clock, .chain, .revocation, .fault,
    ]
}
