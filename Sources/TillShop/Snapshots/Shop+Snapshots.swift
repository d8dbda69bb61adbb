import Foundation
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

/// Resets the shop to a clean state, and saves and restores snapshots (docs/operating/reset-and-snapshots.md).
///
/// Identifiers are never reused, not even after a reset or restore.
extension Shop {
    /// Erases an app, or the whole shop if `app` is nil. Waits until running operations have ended.
    ///
    /// - Parameter confirmation: required by the production guard.
    /// - Throws: `StateRefused` for an app that does not exist, or if the operator forbids resets.
    package func reset(app: String?, _ depth: ResetDepth, confirmation: String? = nil) async throws {
        try checkMayReplace(confirmation)
        let kinds: Set<DocumentKind> =
            switch depth {
            case .happenings: [.clock, .job, .fault, .retention]
            case .everything: Set(DocumentKind.allCases).subtracting(DocumentKind.lasting)
            }
        try await replacing {
            try checkKnown(app)
            try await storage.erase(app: app, documents: kinds)
            try await reloadAll()
        }
    }

    /// Saves a snapshot of an app, or of the whole shop if `app` is nil. An existing snapshot with the same name is
    /// replaced.
    ///
    /// - Throws: `StateRefused` for an invalid name, an app that does not exist, or too many snapshots.
    package func saveSnapshot(_ name: String, of app: String?) async throws -> Snapshot {
        guard Self.isName(name) else { throw StateRefused.badName(name) }
        return try await exclusively("snapshots") {
            try checkKnown(app)
            let others = try await snapshots().filter { $0.name != name }
            guard others.count < Self.maxSnapshots else { throw StateRefused.tooMany(Self.maxSnapshots) }
            return try await storage.save(Snapshot(name: name, app: app, savedAt: wallClock()))
        }
    }

    /// The saved snapshots, sorted by name.
    package func snapshots() async throws -> [Snapshot] {
        try await storage.snapshots().filter { Self.isName($0.name) }
    }

    /// Restores a snapshot exactly as it was saved. Waits until running operations have ended.
    ///
    /// - Parameter confirmation: required by the production guard.
    package func restoreSnapshot(_ name: String, confirmation: String? = nil) async throws -> Snapshot {
        try checkMayReplace(confirmation)
        return try await replacing {
            guard Self.isName(name), let snapshot = try await snapshots().first(where: { $0.name == name }) else {
                throw StateRefused.unknownSnapshot(name, known: try await snapshots().map(\.name))
            }
            try await restoreAndReload(name)
            return snapshot
        }
    }

    /// Deletes a snapshot.
    ///
    /// - Throws: `StateRefused` if there is no snapshot with this name.
    package func removeSnapshot(_ name: String) async throws {
        let known = try await snapshots().map(\.name)
        guard known.contains(name) else { throw StateRefused.unknownSnapshot(name, known: known) }
        try await storage.remove(snapshot: name)
    }

    // MARK: Parts

    /// The maximum number of snapshots.
    package static let maxSnapshots = 100

    /// Runs a body that replaces all data under the exclusive lock, and then wakes the services of every clock.
    func replacing<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let value = try await gate.exclusive(body)
        // This must happen in the new epoch, because results of deliveries that began in the old epoch are discarded.
        for clock in everyClock { signals.moved(clock) }
        // Like a start of the server, this finishes long operations that were in progress when the state was saved.
        Task { await resumeLongWork() }
        return value
    }

    /// Restores a snapshot and reloads everything that is held in memory. Requires the exclusive lock.
    func restoreAndReload(_ name: String) async throws {
        // A new epoch begins before the restore, so that a server that crashes during the restore does not keep the
        // old epoch. Another begins after the restore, because other nodes may have begun an epoch in between.
        try await RestoreEpoch.beginAnother(in: storage)
        do {
            try await storage.restore(snapshot: name)
        } catch SnapshotFailure.collides(let table) {
            throw StateRefused.collides(table)
        }
        try await RestoreEpoch.beginAnother(in: storage)
        try await reloadAll()
    }

    /// Reloads from the database everything that is held in memory.
    func reloadAll() async throws {
        // The restored state may contain numbers from the identifier block in use, and chains of another server.
        identifiers.forget()
        try await chains.follow(storage)
        try await restoreEpochs.follow(storage)
        try await registry.reload()
        try await clocks.reload()
        try await faults.reload()
        try await authority.reload()
        receiptCache.clear()
        signatures.clear()
        recentRows.clear()
        quarantine.clear()
        warnOfProductionClocks()
    }

    func checkKnown(_ app: String?) throws {
        if let app, registry.app(app) == nil {
            throw StateRefused.unknownApp(app, known: registry.apps.map(\.bundleID))
        }
    }

    /// Whether a name is valid: 1 to 64 letters, digits, dots, dashes and underscores, beginning with a letter or a
    /// digit. Till uses names that begin with a dot for temporary snapshots.
    static func isName(_ name: String) -> Bool {
        let marks: Set<Character> = [".", "-", "_"]
        func isPlain(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber)
        }
        guard let first = name.first, name.utf8.count <= 64 else { return false }
        return isPlain(first) && name.allSatisfy { isPlain($0) || marks.contains($0) }
    }
}

/// The reason why a reset, snapshot, restore, export or import was rejected. Nothing was changed.
package enum StateRefused: Error, Equatable, Sendable {
    /// The operator forbids erasing and replacing data.
    case forbidden
    /// The production guard demands a typed confirmation.
    case unconfirmed
    /// The production guard keeps notifications for a number of days, or forever (0).
    case kept(Int)
    case badName(String)
    case tooMany(Int)
    case unknownSnapshot(String, known: [String])
    case unknownApp(String, known: [String])
    /// Another app on this server uses numbers that are in the snapshot.
    case collides(ShopTable)
    /// An error in a file, and the line of the error.
    case badFile(line: Int, String)

    /// The error code for programs.
    package var code: String {
        switch self {
        case .forbidden: "reset_not_allowed"
        case .unconfirmed: "confirmation_required"
        case .kept: "production_guarded"
        case .badName: "bad_name"
        case .tooMany: "too_many_snapshots"
        case .unknownSnapshot: "unknown_snapshot"
        case .unknownApp: "unknown_app"
        case .collides: "numbers_in_use"
        case .badFile: "bad_state_file"
        }
    }

    /// The message for people: what is wrong and what to do.
    package var message: String {
        switch self {
        case .forbidden:
            "This server does not allow resets (allowReset is false). To allow them, start it with --allow-reset true."
        case .unconfirmed:
            "This server guards production data, and this operation erases or replaces it for good. To continue, give "
                + "confirm with the value \(Shop.confirmationText) (flag: --confirm \(Shop.confirmationText))."
        case .kept(let days):
            "This server guards production and keeps notifications "
                + (days == 0 ? "forever. Delete none." : "for \(days) days. Give days with at least \(days).")
        case .badName(let name):
            "\(name.cut(toBytes: 64)) is not a valid snapshot name: use 1 to 64 letters, digits, dots, dashes "
                + "and underscores, beginning with a letter or digit."
        case .tooMany(let limit):
            "There are already \(limit) snapshots, the maximum. Delete some: till snapshot delete."
        case .unknownSnapshot(let name, let known):
            "There is no snapshot \(name.cut(toBytes: 64)). "
                + (known.isEmpty ? "Save one: till snapshot create." : "Snapshots: \(known.joined(separator: ", ")).")
        case .unknownApp(let app, let known):
            "There is no app \(app.cut(toBytes: 155)). "
                + (known.isEmpty ? "Create one: till app create." : "Apps: \(known.joined(separator: ", ")).")
        case .collides(let table):
            "The \(table.rawValue) of this state have numbers or names that another app on this server uses. Import "
                + "the state into the server that exported it, or into an empty server (till reset --everything)."
        case .badFile(let line, let what):
            "Line \(line): \(what). Export the state again: till state export."
        }
    }
}
