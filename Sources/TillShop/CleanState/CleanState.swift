import Foundation
import TillCore
import TillStorage

/// What a reset takes away.
package enum ResetDepth: Sendable {
    /// All that happened: customers, the ledger, what was told and is owed; clocks, jobs and faults. What was set up
    /// stays: apps, keys, catalogues, rules and endpoints.
    case happenings
    /// What was set up, too: of an app everything but its team; of the whole shop teams and keys as well.
    case everything
}

/// Takes the shop back to a clean state, or to one that was saved (docs/operating/clean-state.md).
///
/// Identifiers are not taken back: what was handed out once names nothing else, ever.
extension Shop {
    /// Erases an app, or the whole shop (nil). What is under way ends first.
    ///
    /// - Throws: `StateRefused` for an app that does not exist, or where the operator forbids it.
    package func reset(app: String?, _ depth: ResetDepth) async throws {
        try checkMayReset()
        let kinds: Set<DocumentKind> =
            switch depth {
            case .happenings: [.clock, .job, .fault, .retention]
            case .everything: Set(DocumentKind.allCases).subtracting(DocumentKind.lasting)
            }
        try await replacing {
            try checkKnown(app)
            try await storage.erase(app: app, documents: kinds)
            try await readAgain()
        }
    }

    /// Saves an app, or the whole shop (nil), under a name; what was saved under it before is replaced.
    ///
    /// - Throws: `StateRefused` for a name that is none, an app that does not exist, or too many snapshots.
    package func saveSnapshot(_ name: String, of app: String?) async throws -> Snapshot {
        guard Self.isName(name) else { throw StateRefused.badName(name) }
        return try await exclusively("snapshots") {
            try checkKnown(app)
            let others = try await snapshots().filter { $0.name != name }
            guard others.count < Self.mostSnapshots else { throw StateRefused.tooMany(Self.mostSnapshots) }
            return try await storage.save(Snapshot(name: name, app: app, savedAt: wallClock()))
        }
    }

    /// Those that somebody saved, by name.
    package func snapshots() async throws -> [Snapshot] {
        try await storage.snapshots().filter { Self.isName($0.name) }
    }

    /// Puts back what was saved, exactly as it was. What is under way ends first.
    ///
    /// - Throws: `StateRefused`.
    package func restoreSnapshot(_ name: String) async throws -> Snapshot {
        try checkMayReset()
        return try await replacing {
            guard Self.isName(name), let snapshot = try await snapshots().first(where: { $0.name == name }) else {
                throw StateRefused.unknownSnapshot(name, known: try await snapshots().map(\.name))
            }
            try await putBack(name)
            return snapshot
        }
    }

    /// Forgets what was saved under a name.
    ///
    /// - Throws: `StateRefused` when nothing was.
    package func removeSnapshot(_ name: String) async throws {
        let known = try await snapshots().map(\.name)
        guard known.contains(name) else { throw StateRefused.unknownSnapshot(name, known: known) }
        try await storage.remove(snapshot: name)
    }

    // MARK: Parts

    /// Snapshots at the most.
    package static let mostSnapshots = 100

    /// Runs a body alone that puts another state in place of the present one, and then tells who waits for clocks.
    func replacing<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        let value = try await gate.exclusive(body)
        // Not before the new era: what is sent in the old one is not noted.
        for clock in everyClock { signals.moved(clock) }
        // As after a start: what was under way when the state was saved is finished.
        Task { await resumeLongWork() }
        return value
    }

    /// Restores a snapshot and reads everything again; only for who is alone.
    func putBack(_ name: String) async throws {
        // Before, lest a server that dies in between keeps the old one; after, for what others made meanwhile.
        try await RestoreEpoch.beginAnother(in: storage)
        do {
            try await storage.restore(snapshot: name)
        } catch SnapshotFailure.collides(let table) {
            throw StateRefused.collides(table)
        }
        try await RestoreEpoch.beginAnother(in: storage)
        try await readAgain()
    }

    /// What is held in memory follows the store.
    func readAgain() async throws {
        // What was put in the place of everything may have numbers of the block at hand, and chains of another Till's.
        await identifiers.forget()
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
    }

    func checkMayReset() throws {
        if !settings.allowReset { throw StateRefused.forbidden }
    }

    func checkKnown(_ app: String?) throws {
        if let app, registry.app(app) == nil {
            throw StateRefused.unknownApp(app, known: registry.apps.map(\.bundleID))
        }
    }

    /// 1 to 64 letters, digits, dots, dashes and underscores, with a letter or a digit in front. What begins with a dot
    /// is the shop's own.
    static func isName(_ name: String) -> Bool {
        let marks: Set<Character> = [".", "-", "_"]
        func isPlain(_ character: Character) -> Bool {
            character.isASCII && (character.isLetter || character.isNumber)
        }
        guard let first = name.first, name.utf8.count <= 64 else { return false }
        return isPlain(first) && name.allSatisfy { isPlain($0) || marks.contains($0) }
    }
}

/// Why a state was not saved, put back, written out or taken in. Nothing was changed.
package enum StateRefused: Error, Equatable, Sendable {
    /// The operator does not let anybody erase or replace what there is.
    case forbidden
    case badName(String)
    case tooMany(Int)
    case unknownSnapshot(String, known: [String])
    case unknownApp(String, known: [String])
    /// Numbers in it are another app's here.
    case collides(ShopTable)
    /// What is wrong with a file, and in which line of it.
    case badFile(line: Int, String)

    /// A word for programs.
    package var code: String {
        switch self {
        case .forbidden: "reset_not_allowed"
        case .badName: "bad_name"
        case .tooMany: "too_many_snapshots"
        case .unknownSnapshot: "unknown_snapshot"
        case .unknownApp: "unknown_app"
        case .collides: "numbers_in_use"
        case .badFile: "bad_state_file"
        }
    }

    /// A sentence for people: what was wrong and what to do.
    package var message: String {
        switch self {
        case .forbidden:
            "This server erases nothing (allowReset is false). Start it with --allow-reset true if it may."
        case .badName(let name):
            "\(name.cut(toBytes: 64)) is no name for a snapshot: 1 to 64 letters, digits, dots, dashes and "
                + "underscores, a letter or digit in front."
        case .tooMany(let most):
            "There are \(most) snapshots already; remove some with till snapshot remove."
        case .unknownSnapshot(let name, let known):
            "There is no snapshot \(name.cut(toBytes: 64)). "
                + (known.isEmpty ? "Save one with till snapshot save." : "Snapshots: \(known.joined(separator: ", ")).")
        case .unknownApp(let app, let known):
            "There is no app \(app.cut(toBytes: 155)). "
                + (known.isEmpty ? "Create one with till app create." : "Apps: \(known.joined(separator: ", ")).")
        case .collides(let table):
            "The \(table.rawValue) of this state have numbers or names that another app has here. Take it in where it "
                + "came from, or on a Till that is empty (till reset --everything)."
        case .badFile(let line, let what):
            "Line \(line): \(what). Write the file anew with till export-state."
        }
    }
}
