import TillCore

/// What an engine can do besides when several servers, the nodes, work on one database (docs/operating/scale.md).
///
/// Who works on what is written down as leases, and a lease lasts as long as its node. What every node holds in memory
/// is counted: each change of a document raises the generation of its kind, and a node that decided by an older one is
/// told so when it commits.
package protocol SharedStorage: Storage {
    // MARK: Nodes

    /// Enters a node. An earlier one of the same name has ended, whatever it thinks; its leases are free.
    ///
    /// - Parameters:
    ///   - id: unique, of this start of the server.
    ///   - name: of the place where the server runs.
    ///   - lease: how long it is believed to live without a word.
    func join(_ id: String, name: String, lease: Duration) async throws

    /// Says that a node lives, and what it has seen. Nodes of which nothing was heard for too long are given up.
    ///
    /// - Returns: who lives, with all leases; nil when the others have given this one up.
    func beat(_ id: String, seen: Int64, lease: Duration) async throws -> NodesView?

    /// Says what a node has seen, before its next beat.
    func note(seen: Int64, by id: String) async throws

    /// By id: what each node has said to have seen.
    func seen() async throws -> [String: Int64]

    /// Ends a node; its leases are free at once.
    func leave(_ id: String) async throws

    // MARK: Leases

    /// Takes leases, those that nobody has.
    ///
    /// - Returns: the names of those that were taken; none when the node was given up.
    func take(_ leases: [Lease]) async throws -> Set<String>

    /// All leases there are.
    func leases() async throws -> [Lease]

    /// Gives leases back.
    func release(_ names: [String], of node: String) async throws

    // MARK: What is held in memory

    /// The generations as they are now.
    func configurationVersions() async throws -> ConfigurationVersions

    /// How many times this engine wrote a document that others hold in memory, or replaced everything.
    var written: Int { get }

    /// Says something to the other nodes; who does not hear it now never will.
    func say(_ word: String) async throws

    /// Hears what nodes say, this one too, until the engine is closed.
    func listen(_ hear: @escaping @Sendable (NodeSign) -> Void)

    /// Says again and again that a node lives, however busy it is, from when it listens until the engine is closed.
    func keepAlive(_ id: String, lease: Duration)

    // MARK: A node's part of what falls due

    /// `dueAccounts` of some partitions only.
    func dueAccounts(on clock: ClockName, until: Timestamp, in part: Range<Int64>, limit: Int) async throws
        -> [DueAccount]

    /// `nextDue(on:)` of some partitions only.
    func nextDue(on clock: ClockName, in part: Range<Int64>) async throws -> (account: Timestamp?, delivery: Timestamp?)

    /// `dueDeliveries` of some partitions only.
    func dueDeliveries(
        to endpoint: String,
        on clock: ClockName,
        until: Timestamp,
        in part: Range<Int64>,
        limit: Int
    ) async throws -> DueDeliveries
}

/// What a node hears.
package enum NodeSign: Sendable {
    /// Words may have been missed.
    case missed
    case word(String)
    /// This node was still among the others, by a question that was asked at this instant.
    case alive(ContinuousClock.Instant)
}

/// The words that engines say by themselves when nodes are to look; all others are the nodes' own.
package enum NodeWord {
    /// Nodes came or went.
    package static let nodes = "nodes"
    /// What nodes hold in memory was changed.
    package static let configurationVersions = "generations"
}

/// The right of one node to do something that no other does at the same time.
package struct Lease: Equatable, Sendable {
    /// What it is for.
    package let name: String
    /// The id of the node that has it.
    package let node: String
    /// What the others are to know of it.
    package let body: String

    /// A lease.
    package init(name: String, node: String, body: String = "") {
        self.name = name
        self.node = node
        self.body = body
    }
}

/// The nodes that live, and their leases.
package struct NodesView: Equatable, Sendable {
    /// By id: the sum of the generations that each has seen.
    package let seen: [String: Int64]
    /// All leases there are.
    package let leases: [Lease]

    /// Nodes and leases at one moment.
    package init(seen: [String: Int64], leases: [Lease]) {
        self.seen = seen
        self.leases = leases
    }
}

/// How often what nodes hold in memory was changed, by kind; each count only rises.
package struct ConfigurationVersions: Equatable, Sendable {
    /// By `DocumentKind`, and under `era` how often everything was replaced.
    package let values: [String: Int64]

    /// Counts.
    package init(_ values: [String: Int64]) { self.values = values }

    /// Rises with each change; two that were read and have the same sum are the same.
    package var sum: Int64 { values.values.reduce(0, +) }
    /// What was read in one era is not written in another: between them everything was replaced.
    package var era: Int64 { values[Self.era] ?? 0 }
    /// The name of that count.
    package static let era = "era"
}

/// On what a write hangs beside the rows that it names: the engine refuses it when that has changed.
package struct WritePrecondition: Hashable, Sendable {
    /// The node that decided. One that was given up writes nothing more.
    package let node: String
    /// The era in which it read.
    package let era: Int64
    /// The sum of the generations by which it decided; nil where what is held in memory does not matter.
    package let configurationVersion: Int64?

    /// A precondition.
    package init(node: String, era: Int64, configurationVersion: Int64?) {
        self.node = node
        self.era = era
        self.configurationVersion = configurationVersion
    }

    /// That of the work under way in this task: what it writes last hangs on what it found first.
    @TaskLocal package static var held: WritePrecondition?
}

/// What a write hung on has changed (`WritePrecondition`). Nothing was written.
package struct Overtaken: Error, CustomStringConvertible {
    /// Says that a write was overtaken.
    package init() {}

    package var description: String { "another node was first; nothing was changed" }
}

extension DocumentKind {
    /// Kinds that servers hold in memory.
    package static let heldInMemory: Set<DocumentKind> = [
        .team, .app, .key, .catalog, .rules, .clock, .chain, .revocation, .fault,
    ]
}
