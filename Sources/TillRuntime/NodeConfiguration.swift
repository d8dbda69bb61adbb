import Foundation
import Logging
import TillServer
import TillShop
import TillSigning
import TillStorage

/// The settings of this server as one of several servers on a database (docs/operating/scale.md).
package struct NodeConfiguration: Sendable {
    /// The node's name; nil for a name made of the host's name and the data directory.
    package var name: String?
    /// The time after which other servers take over the work of a server that is no longer reachable.
    package var lease = Duration.seconds(10)
    /// Whether the root certificate of this data directory replaces the root of the database.
    package var adoptsRoot = false

    /// Creates the default settings of `till serve`.
    package init() {}

    static func check(_ name: String) throws {
        guard (1...512).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw RuntimeRefused("nodeName must have 1 to 512 bytes and no U+0000.")
        }
    }

    /// Registers this server in a shared store; nil if the store is not shared.
    func join(
        _ storage: any Storage,
        _ directory: DataDirectory,
        _ logger: Logger,
        _ figures: PrometheusFigures
    ) async throws -> Cluster? {
        let name = name ?? "\(ProcessInfo.processInfo.hostName):\(directory.path)"
        try Self.check(name)
        guard let shared = storage as? any SharedStorage else { return nil }
        return try await Cluster.join(shared, name: name, lease: lease, logger: logger, metrics: figures)
    }

    /// Returns the root certificate of the data directory. Refuses a root other than the store's first one, because
    /// clients trust one root and all servers of a database must sign under it.
    func root(for storage: any Storage, _ directory: DataDirectory) async throws -> RootAuthority {
        try await SharedRoots.open(
            directory,
            for: storage,
            isAdopting: adoptsRoot,
            makesReceipts: storage is any SharedStorage
        )
    }
}
