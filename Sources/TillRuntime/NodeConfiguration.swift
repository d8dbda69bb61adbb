import Foundation
import Logging
import TillShop
import TillSigning
import TillStorage

/// This server among those that share a database (docs/operating/scale.md).
package struct NodeConfiguration: Sendable {
    /// Nil combines the host's name and the data directory.
    package var name: String?
    /// The time until other servers take over the work of a lost server.
    package var lease = Duration.seconds(10)
    /// Whether the root of this data directory becomes the root of the database.
    package var adoptsRoot = false

    /// The defaults of `till serve`.
    package init() {}

    static func check(_ name: String) throws {
        guard (1...512).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw RuntimeRefused("nodeName must have 1 to 512 bytes and no U+0000.")
        }
    }

    /// Joins the servers that share a store; nil when the store is not shared.
    func join(_ storage: any Storage, _ directory: DataDirectory, _ logger: Logger) async throws -> Cluster? {
        let name = name ?? "\(ProcessInfo.processInfo.hostName):\(directory.path)"
        try Self.check(name)
        guard let shared = storage as? any SharedStorage else { return nil }
        return try await Cluster.join(shared, name: name, lease: lease, logger: logger)
    }

    /// The root of a data directory, if it is the root that the store was first served with. All servers of a database
    /// must sign under the same root, because clients trust only one.
    func root(for storage: any Storage, _ directory: DataDirectory) async throws -> RootAuthority {
        try await SharedRoots.open(
            directory,
            for: storage,
            isAdopting: adoptsRoot,
            makesReceipts: storage is any SharedStorage
        )
    }
}
