import Foundation
import GRDB
import TillStorage

extension SQLiteStorage {
    package func documents(_ kind: DocumentKind) async throws -> [Document] {
        try await pool.read { db in
            try db.rows(
                of: "documents",
                "SELECT name, app, body FROM documents WHERE kind = ? ORDER BY name",
                [kind.rawValue]
            ).map { try Document($0, of: kind) }
        }
    }

    package func put(_ documents: [Document]) async throws {
        try await write { db in
            for document in documents { try Self.write(document, db) }
        }
    }

    package func keep(_ document: Document) async throws -> Document {
        try await write { db in
            let present = try db.rows(
                of: "documents",
                "SELECT name, app, body FROM documents WHERE kind = ? AND name = ?",
                [document.kind.rawValue, document.name]
            ).first
            if let present { return try Document(present, of: document.kind) }
            try Self.write(document, db)
            return document
        }
    }

    package func removeDocument(_ kind: DocumentKind, name: String) async throws {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM documents WHERE kind = ? AND name = ?",
                arguments: [kind.rawValue, name]
            )
        }
    }

    package func appendRequestLog(_ entries: [RequestLogEntry], keeping: Int) async throws {
        let texts = try entries.map { (id: $0.id, text: String(decoding: try JSONEncoder().encode($0), as: UTF8.self)) }
        try await pool.write { db in
            let insert = try db.cachedStatement(sql: "INSERT OR REPLACE INTO journal (id, entry) VALUES (?, ?)")
            for entry in texts { try insert.execute(arguments: [entry.id, entry.text]) }
            try db.execute(
                sql: "DELETE FROM journal WHERE number <= (SELECT max(number) FROM journal) - ?",
                arguments: [keeping]
            )
        }
    }

    package func requestLogEntry(_ id: String) async throws -> RequestLogEntry? {
        try await pool.read { db in
            try db.rows(of: "journal", "SELECT number, entry FROM journal WHERE id = ?", [id]).first
                .map { try NumberedEntry($0).entry }
        }
    }

    package func requestLog(before number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await entries("WHERE number < ? ORDER BY number DESC", from: number, limit: limit)
    }

    package func requestLog(after number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await entries("WHERE number > ? ORDER BY number", from: number, limit: limit)
    }

    private func entries(_ range: String, from number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await pool.read { db in
            try db.rows(of: "journal", "SELECT number, entry FROM journal \(range) LIMIT ?", [number, limit])
                .map { try NumberedEntry($0) }
        }
    }
}

extension Document {
    /// Reads the cells name, app and body.
    fileprivate init(_ cells: RowCells, of kind: DocumentKind) throws {
        do throws(DamagedRow) {
            self.init(kind: kind, name: try cells.text(0), app: try cells.maybeText(1), body: try cells.text(2))
        } catch {
            let name = (try? cells.text(0)) ?? "unknown"
            throw error.naming("kind \(kind.rawValue), name \(name)")
        }
    }
}

extension NumberedEntry {
    /// Reads the cells number and entry.
    fileprivate init(_ cells: RowCells) throws {
        let entry = try JSONDecoder().decode(RequestLogEntry.self, from: Data(try cells.text(1).utf8))
        self.init(number: try cells.integer(0), entry: entry)
    }
}
