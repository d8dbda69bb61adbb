import Foundation
import Logging
import TillCore
import TillStorage

/// The snapshots of apps and of the whole shop (docs/operating/reset-and-snapshots.md).
package struct Snapshots: Sendable {
    let storage: any Storage
    let registry: Registry
    let locks: ShopLocks
    let logger: Logger
    let wallClock: @Sendable () -> Timestamp
    /// The suffix of the names of this server's temporary snapshots.
    private let mark = ".\(UUID().uuidString.prefix(8).lowercased())"
    /// The restore epochs that this server read last.
    let epoch: Synchronized<RestoreEpoch>
    /// The maximum number of snapshots.
    package static let maxCount = 100

    /// Saves a snapshot of an app, or of the whole shop if `app` is nil. An existing snapshot with the same name is
    /// replaced.
    ///
    /// - Throws: `StateRefused` for an invalid name, an app that does not exist, or too many snapshots.
    package func save(_ name: String, of app: String?) async throws -> Snapshot {
        guard name.isObjectName else { throw StateRefused.badName(name) }
        return try await locks.exclusively("snapshots") {
            try checkKnown(app)
            let others = try await all().filter { $0.name != name }
            guard others.count < Self.maxCount else { throw StateRefused.tooMany(Self.maxCount) }
            return try await storage.save(Snapshot(name: name, app: app, savedAt: wallClock()))
        }
    }

    /// The saved snapshots, sorted by name.
    package func all() async throws -> [Snapshot] { try await storage.snapshots().filter(\.name.isObjectName) }

    /// The snapshot with a name.
    ///
    /// - Throws: `StateRefused` if there is no snapshot with this name.
    package func snapshot(_ name: String) async throws -> Snapshot {
        let all = try await all()
        guard let snapshot = all.first(where: { $0.name == name }) else {
            throw StateRefused.unknownSnapshot(name, known: all.map(\.name))
        }
        return snapshot
    }

    /// Deletes a snapshot.
    ///
    /// - Throws: `StateRefused` if there is no snapshot with this name.
    package func remove(_ name: String) async throws {
        try await storage.remove(snapshot: try await snapshot(name).name)
    }

    /// - Throws: `StateRefused` for an app that does not exist.
    package func checkKnown(_ app: String?) throws {
        if let app, registry.app(app) == nil {
            throw StateRefused.unknownApp(app, known: registry.apps.map(\.bundleID))
        }
    }

    /// Replaces the present state of an app, or of the whole shop, with a snapshot, and begins a restore epoch.
    /// Requires the exclusive lock.
    ///
    /// - Throws: `StateRefused.collides` if another app uses numbers that are in the snapshot.
    func restore(_ name: String, of app: String?) async throws {
        // A new epoch begins before the restore, so that a server that crashes during the restore does not keep the
        // old epoch. Another begins after the restore, because other nodes may have begun an epoch in between.
        try await RestoreEpoch.beginAnother(of: app, in: storage)
        do {
            try await storage.restore(snapshot: name)
        } catch SnapshotFailure.collides(let table) {
            throw StateRefused.collides(table)
        }
        try await RestoreEpoch.beginAnother(of: app, in: storage)
    }

    // MARK: Temporary snapshots

    /// Creates a name for the temporary snapshot of an export or import.
    func temporaryName(_ word: String) -> String { ".\(word)-\(UUID().uuidString.lowercased())\(mark)" }

    /// Deletes temporary snapshots that remained when a server crashed during an export or import. Snapshots of this
    /// process stay, because they may be in use.
    func removeUnfinished() async {
        do {
            // Temporary snapshots of another node may be in use, too.
            if let cluster = locks.cluster, try await cluster.storage.seen().count > 1 { return }
            for snapshot in try await storage.snapshots()
            where snapshot.name.hasPrefix(".") && !snapshot.name.hasSuffix(mark) {
                try await storage.remove(snapshot: snapshot.name)
            }
        } catch {
            logger.error("temporary snapshots could not be deleted", metadata: ["cause": "\(error.logText)"])
        }
    }
}
