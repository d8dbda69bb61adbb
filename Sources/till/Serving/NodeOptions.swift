import ArgumentParser
import Foundation
import Logging
import TillShop
import TillSigning
import TillStorage

/// Several servers on one database (docs/operating/scale.md).
struct NodeOptions: ParsableArguments {
    @Option(help: "The name of this server among those that share a database (default: its host and data directory).")
    var nodeName: String?
    @Option(help: "Seconds until other servers take over the work of a lost server (default 10).")
    var lease: Int?
    @Option(help: "Seconds for which a stopping server still answers while /readyz reports 503 (default 0).")
    var drain: Int?
    @Option(help: "true or false (default): use the root of this data directory for the database from now on.")
    var adoptRoot: Bool?

    /// How long a stopping server still answers.
    func drainTime(_ source: SettingsSource) throws -> Duration {
        .seconds(try source.number(drain, "drain", default: 0, in: 0...300))
    }

    /// Refuses invalid settings before anything is created.
    func check(_ source: SettingsSource) throws {
        _ = try leaseTime(source)
        _ = try source.choice(adoptRoot, "adoptRoot")
        if let name = source.text(nodeName, "nodeName") { try Self.check(name) }
    }

    private func leaseTime(_ source: SettingsSource) throws -> Int {
        try source.number(lease, "lease", default: 10, in: 2...600)
    }

    private static func check(_ name: String) throws {
        guard (1...512).contains(name.utf8.count), !name.utf8.contains(0) else {
            throw CommandRefused("nodeName must have 1 to 512 bytes and no U+0000.")
        }
    }

    /// Joins the servers that share a store; nil when the store is not shared.
    func join(
        _ storage: any Storage,
        _ source: SettingsSource,
        _ directory: DataDirectory,
        _ logger: Logger
    ) async throws -> Cluster? {
        let lease = try leaseTime(source)
        let name = source.text(nodeName, "nodeName") ?? "\(ProcessInfo.processInfo.hostName):\(directory.path)"
        try Self.check(name)
        guard let shared = storage as? any SharedStorage else { return nil }
        return try await Cluster.join(shared, name: name, lease: .seconds(lease), logger: logger)
    }

    /// The root of a data directory, if it is the root that the store was first served with. All servers of a database
    /// must sign under the same root, because clients trust only one.
    func root(for storage: any Storage, _ source: SettingsSource, _ directory: DataDirectory) async throws
        -> RootAuthority
    {
        try await SharedRoots.open(
            directory,
            for: storage,
            isAdopting: try source.choice(adoptRoot, "adoptRoot") == true,
            makesReceipts: storage is any SharedStorage
        )
    }
}
