import TillCore
import TillStorage

/// What a reset deletes.
package enum ResetDepth: Sendable {
    /// Customers, transactions, notifications, deliveries, clocks, jobs and fault rules. The configuration stays:
    /// apps, keys, catalogs, environment settings and endpoints.
    case happenings
    /// The configuration, too. A reset of one app keeps its team. A reset of the whole shop also deletes teams and
    /// keys.
    case everything
}

/// Replaces all data: resets the shop, and restores snapshots (docs/operating/reset-and-snapshots.md).
///
/// Identifiers are never reused, not even after a reset or restore.
extension Shop {
    /// Erases an app, or the whole shop if `app` is nil. Waits until running operations have ended.
    ///
    /// - Parameter confirmation: required by the production guard.
    /// - Throws: `StateRefused` for an app that does not exist, or if the operator forbids resets.
    package func reset(app: String?, _ depth: ResetDepth, confirmation: String? = nil) async throws {
        try settings.checkMayReplace(confirmation)
        let kinds: Set<DocumentKind> =
            switch depth {
            case .happenings: [.clock, .job, .fault, .retention]
            case .everything: Set(DocumentKind.allCases).subtracting(DocumentKind.lasting)
            }
        try await replacing { replaced in
            try snapshots.checkKnown(app)
            replaced = app.map { .app($0) } ?? .everything
            try await storage.erase(app: app, documents: kinds)
            if let app, depth == .everything { try await RestoreEpoch.forget(app, in: storage) }
        }
    }

    /// Restores a snapshot exactly as it was saved. Waits until running operations have ended.
    ///
    /// - Parameter confirmation: required by the production guard.
    package func restoreSnapshot(_ name: String, confirmation: String? = nil) async throws -> Snapshot {
        try settings.checkMayReplace(confirmation)
        return try await replacing { replaced in
            let snapshot = try await snapshots.snapshot(name)
            replaced = snapshot.app.map { .app($0) } ?? .everything
            try await snapshots.restore(name, of: snapshot.app)
            return snapshot
        }
    }

    /// Runs a body that replaces data under the exclusive lock, reloads everything, and then wakes the services of
    /// every clock.
    ///
    /// - Parameter body: says what it replaces. Deliveries in progress of other apps continue.
    func replacing<Value: Sendable>(_ body: (inout ReplacedData) async throws -> Value) async throws -> Value {
        let value = try await locks.gate.replacing { replaced in
            let value = try await body(&replaced)
            try await reloadAll(replaced)
            return value
        }
        // This must happen in the new epoch, because results of deliveries that began in the old epoch are discarded.
        for clock in everyClock { signals.moved(clock) }
        // Like a start of the server, this finishes long operations that were in progress when the state was saved.
        Task { await resumeLongWork() }
        return value
    }

    /// Reloads from the database everything that is held in memory.
    ///
    /// - Parameter replaced: the data that was replaced.
    func reloadAll(_ replaced: ReplacedData) async throws {
        // The restored state may contain numbers from the identifier block in use, and chains of another server.
        identifiers.forget()
        try await keys.reload()
        snapshots.epoch.value = try await RestoreEpoch.read(storage)
        try await registry.reload()
        try await clocks.reload()
        try await faults.reload(replaced)
        quarantine.clear()
        warnOfProductionClocks()
    }
}
