import TillCore

/// A storage engine whose database several servers (nodes) share (docs/operating/scale.md).
///
/// A lease assigns some work to one node, and ends when the registration of that node ends. Every node caches
/// configuration. Each change of a cached document increases the configuration version of its kind. The engine rejects
/// a commit that a node decided with an older version.
package protocol SharedStorage: Storage {
    // MARK: Nodes

    /// Registers a node. An earlier node with the same name is removed, even if it still runs, and its leases become
    /// free.
    ///
    /// - Parameters:
    ///   - id: The id of the node, which is unique for each start of the server.
    ///   - name: The name that identifies the machine or container of the server.
    ///   - lease: The duration of the registration, unless the node renews it.
    func join(_ id: String, name: String, lease: Duration) async throws

    /// Renews a node's registration, and stores the configuration version that the node has applied. Nodes whose
    /// registration has expired are removed.
    ///
    /// - Returns: The live nodes and all leases; nil if this node was removed.
    func renew(_ id: String, seen: Int64, lease: Duration) async throws -> NodesView?

    /// Stores the configuration version that a node has applied, without waiting for the next renewal.
    func note(seen: Int64, by id: String) async throws

    /// The configuration versions that the nodes have applied, by node id.
    func seen() async throws -> [String: Int64]

    /// Removes a node. Its leases become free at once.
    func leave(_ id: String) async throws

    // MARK: Leases

    /// Takes the given leases, except those that another node has.
    ///
    /// - Returns: The names of the leases that were taken; empty if the node was removed.
    func take(_ leases: [Lease]) async throws -> Set<String>

    /// All leases of all nodes.
    func leases() async throws -> [Lease]

    /// Releases these leases of a node.
    func release(_ names: [String], of node: String) async throws

    // MARK: Cached configuration

    /// The current configuration versions of all kinds.
    func configurationVersions() async throws -> ConfigurationVersions

    /// The apps whose data was replaced after an epoch, each with the epoch of its last replacement. The name
    /// `ConfigurationVersions.allApps` stands for the data of all apps.
    func replacements(after epoch: Int64) async throws -> [String: Int64]

    /// The number of times that this engine wrote a cached document or replaced all data.
    var written: Int { get }

    /// Publishes a message to the other nodes. The message is not stored, so only nodes that are subscribed now receive
    /// it.
    func publish(_ word: String) async throws

    /// Subscribes to the messages of all nodes, including this node, until the engine is closed.
    func subscribe(_ receive: @escaping @Sendable (NodeSign) -> Void)

    /// Renews a node's registration at regular intervals, even if the node is busy. This begins with `subscribe` and
    /// ends when the engine is closed.
    func keepAlive(_ id: String, lease: Duration)
}

/// An event of a node's subscription.
package enum NodeSign: Sendable {
    /// The subscription may have missed messages.
    case missed
    case word(String)
    /// The registration of this node was still valid at this instant.
    case alive(ContinuousClock.Instant)
}

/// Messages that the engines publish so that nodes check for changes. Nodes publish all other messages themselves.
package enum NodeMessage {
    /// Nodes have joined or left.
    package static let nodes = "nodes"
    /// Cached configuration has changed.
    package static let configurationVersions = "generations"
}

/// The exclusive right of one node to do certain work.
package struct Lease: Equatable, Sendable {
    /// The name of the work.
    package let name: String
    /// The id of the node that has the lease.
    package let node: String
    /// Additional information for the other nodes.
    package let body: String

    /// A lease of a node.
    package init(name: String, node: String, body: String = "") {
        self.name = name
        self.node = node
        self.body = body
    }
}

/// The live nodes and their leases.
package struct NodesView: Equatable, Sendable {
    /// The configuration versions that the nodes have applied, by node id.
    package let seen: [String: Int64]
    /// All leases of all nodes.
    package let leases: [Lease]

    /// The nodes and leases of one moment.
    package init(seen: [String: Int64], leases: [Lease]) {
        self.seen = seen
        self.leases = leases
    }
}

/// The number of changes of cached configuration, by kind. The numbers never decrease.
package struct ConfigurationVersions: Equatable, Sendable {
    /// The number of changes, by `DocumentKind`. The key `epoch` has the number of times that data was replaced.
    package let values: [String: Int64]

    /// The configuration versions with these numbers.
    package init(_ values: [String: Int64]) { self.values = values }

    /// The sum of all numbers. Every change increases it, so equal sums mean equal versions.
    package var sum: Int64 { values.values.reduce(0, +) }
    /// The number of times that data of one app or of all apps was replaced. A write that was decided in an older epoch
    /// is rejected; a delivery attempt only if the data of its app was replaced.
    package var epoch: Int64 { values[Self.epoch] ?? 0 }
    /// The key of the epoch in `values`.
    package static let epoch = "era"
    /// The name of the app of a replacement of all data.
    package static let allApps = ""
    /// The key of the number of imports, each of which reserves identifiers.
    package static let imports = "imports"
}

/// The condition under which the engine commits a write, in addition to the versions of the accounts. If it no longer
/// holds, the engine rejects the write.
package struct WritePrecondition: Hashable, Sendable {
    /// The id of the node that decided on the write. A node that was removed can no longer write.
    package let node: String
    /// The epoch in which the node read the data.
    package let epoch: Int64
    /// The sum of the configuration versions that the decision used; nil if cached configuration does not affect the
    /// write.
    package let configurationVersion: Int64?

    /// A precondition for a write.
    package init(node: String, epoch: Int64, configurationVersion: Int64?) {
        self.node = node
        self.epoch = epoch
        self.configurationVersion = configurationVersion
    }

    /// The precondition of the current task. The writes of the task depend on the data that its first read returned.
    @TaskLocal package static var held: WritePrecondition?
}

/// The error for a write whose `WritePrecondition` no longer holds. Nothing was written.
package struct PreconditionFailed: Error, CustomStringConvertible {
    /// The error for a write that another node preceded.
    package init() {}

    package var description: String { "another node made a change first; nothing was written" }
}

extension DocumentKind {
    /// The kinds of documents that servers cache in memory.
    package static let heldInMemory: Set<DocumentKind> = [
        .team, .app, .key, .catalog, .rules, .clock, .chain, .revocation, .fault,
    ]
}
