import Foundation
import GRDB
import TillStorage

extension SQLiteStorage {
    package func documents(_ kind: DocumentKind) async throws -> [Document] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT name, app, body FROM documents WHERE kind = ? ORDER BY name",
                arguments: [kind.rawValue]
            ).map { Document(kind: kind, name: $0[0], app: $0[1], body: $0[2]) }
        }
    }

    package func put(_ documents: [Document]) async throws {
        try await pool.write { db in
            for document in documents { try Self.write(document, db) }
        }
    }

    package func keep(_ document: Document) async throws -> Document {
        try await pool.write { db in
            let present = try Row.fetchOne(
                db,
                sql: "SELECT app, body FROM documents WHERE kind = ? AND name = ?",
                arguments: [document.kind.rawValue, document.name]
            )
            if let present {
                return Document(kind: document.kind, name: document.name, app: present[0], body: present[1])
            }
            try Self.write(document, db)
            return document
        }
    }

    package func removeDocument(_ kind: DocumentKind, name: String) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "DELETE FROM documents WHERE kind = ? AND name = ?",
                arguments: [kind.rawValue, name]
            )
        }
    }

    package func appendJournal(_ entries: [JournalEntry], keeping: Int) async throws {
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

    package func journalEntry(_ id: String) async throws -> JournalEntry? {
        try await pool.read { db in
            try String.fetchOne(db, sql: "SELECT entry FROM journal WHERE id = ?", arguments: [id])
                .map { try JSONDecoder().decode(JournalEntry.self, from: Data($0.utf8)) }
        }
    }

    package func journal(before number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT number, entry FROM journal WHERE number < ? ORDER BY number DESC LIMIT ?",
                arguments: [number, limit]
            ).map { row in
                let entry = try JSONDecoder().decode(JournalEntry.self, from: Data((row[1] as String).utf8))
                return NumberedEntry(number: row[0], entry: entry)
            }
        }
    }
}
