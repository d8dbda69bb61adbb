import Crypto
import Foundation
import Logging
import TillCore
import TillSigning
import TillStorage

extension Shop {
    /// Checks that an app exists before its export.
    package func checkExport(of app: String?) throws { try checkKnown(app) }

    /// Exports an app, or the whole shop if `app` is nil, as one text. The text is the state at one moment.
    ///
    /// - Parameter write: a function that receives the text piece by piece.
    /// - Throws: `StateRefused` for an app that does not exist, and any error of `write`.
    package func exportState(of app: String?, to write: ([UInt8]) async throws -> Void) async throws {
        try checkKnown(app)
        let name = passingName("export")
        do {
            let snapshot = try await gate.shared {
                try await storage.save(Snapshot(name: name, app: app, savedAt: wallClock()))
            }
            try await writeOut(snapshot, to: write)
            try await storage.remove(snapshot: name)
        } catch {
            try? await storage.remove(snapshot: name)
            throw error
        }
    }

    /// Deletes temporary snapshots that remained when a server crashed during an export or import. Snapshots of this
    /// process stay, because they may be in use.
    func forgetUnfinishedCopies() async {
        do {
            // Temporary snapshots of another node may be in use, too.
            if let cluster, try await cluster.storage.seen().count > 1 { return }
            for snapshot in try await storage.snapshots()
            where snapshot.name.hasPrefix(".") && !snapshot.name.hasSuffix(copyMark) {
                try await storage.remove(snapshot: snapshot.name)
            }
        } catch {
            logger.error("temporary snapshots could not be deleted", metadata: ["cause": "\(error.logText)"])
        }
    }

    /// Creates a name for the temporary snapshot of an export or import.
    func passingName(_ word: String) -> String { ".\(word)-\(UUID().uuidString.lowercased())\(copyMark)" }

    private func writeOut(_ snapshot: Snapshot, to write: ([UInt8]) async throws -> Void) async throws {
        var digest = SHA256()
        var count = 0
        func put(_ text: [UInt8]) async throws {
            digest.update(data: text)
            try await write(text)
        }
        func begin(_ name: String, _ table: ShopTable) async throws {
            try await put(StateFile.line(StateFile.Part(table: name, columns: table.columns.map(\.name))))
        }
        func put(_ rows: [TableRow]) async throws {
            var text: [UInt8] = []
            for row in rows { StateFile.append(row, to: &text) }
            count += rows.count
            try await put(text)
        }
        try await put(StateFile.line(StateFile.Head(till: "state", format: StateFile.format, app: snapshot.app)))
        for table in ShopTable.allCases {
            if !table.isOptional { try await begin(table.rawValue, table) }
            var place: Int64?
            repeat {
                let page = try await storage.rows(of: table, in: snapshot.name, after: place, limit: 500)
                if table.isOptional, place == nil, !page.isEmpty { try await begin(table.rawValue, table) }
                if !page.isEmpty { try await put(page.map(\.row)) }
                place = page.last?.place
            } while place != nil
        }
        try await begin(StateFile.companions, .documents)
        for document in try await companions(of: snapshot.app) { try await put([document.row]) }
        let sum = Hexadecimal.text(digest.finalize())
        try await write(StateFile.line(StateFile.Foot(rows: count, sha256: sum)))
    }

    /// The documents of the chains that signed notifications; for a single app also its team and the team's keys.
    private func companions(of bundleID: String?) async throws -> [Document] {
        let chains = try await storage.documents(.chain)
        guard let bundleID, let app = registry.app(bundleID) else { return chains }
        let team = try await storage.documents(.team).filter { $0.name == app.issuerID }
        let keys = try await storage.documents(.key).filter { document in
            try document.app == nil && document.decoded(as: KeyRecord.self).issuerID == app.issuerID
        }
        return team + keys + chains
    }
}
