import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

extension Snapshots {
    /// Exports an app, or the whole shop if `app` is nil, as one text. The text is the state at one moment.
    ///
    /// - Parameter write: a function that receives the text piece by piece.
    /// - Throws: `StateRefused` for an app that does not exist, and any error of `write`.
    package func export(_ app: String?, to write: ([UInt8]) async throws -> Void) async throws {
        try checkKnown(app)
        let name = temporaryName("export")
        do {
            let snapshot = try await locks.gate.shared {
                try await storage.save(Snapshot(name: name, app: app, savedAt: wallClock()))
            }
            try await writeOut(snapshot, to: write)
            try await storage.remove(snapshot: name)
        } catch {
            try? await storage.remove(snapshot: name)
            throw error
        }
    }

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
