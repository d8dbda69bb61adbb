import Foundation
import TillStorage

extension PostgresStorage {
    package func documents(_ kind: DocumentKind) async throws -> [Document] {
        try await read(.documentsOfKind, Arguments(kind.rawValue)) { row in
            Document(kind: kind, name: try row.text(0), app: row.maybeText(1), body: try row.text(2))
        }
    }

    package func put(_ documents: [Document]) async throws {
        try await write(documents.map { Step(.putDocument, Arguments($0.kind.rawValue, $0.name, $0.app, $0.body)) })
    }

    package func removeDocument(_ kind: DocumentKind, name: String) async throws {
        try await write([Step(.removeDocument, Arguments(kind.rawValue, name))])
    }

    package func appendJournal(_ entries: [JournalEntry], keeping: Int) async throws {
        let steps = try entries.map { entry in
            Step(.appendJournal, Arguments(entry.id, String(decoding: try JSONEncoder().encode(entry), as: UTF8.self)))
        }
        try await write(steps + [Step(.trimJournal, Arguments(keeping))])
    }

    package func journalEntry(_ id: String) async throws -> JournalEntry? {
        try await entries(.journalByID, Arguments(id)).first
    }

    package func journal(limit: Int) async throws -> [JournalEntry] {
        try await entries(.newestJournal, Arguments(limit))
    }

    private func entries(_ statement: Statement, _ arguments: Arguments) async throws -> [JournalEntry] {
        try await read(statement, arguments) { try $0.text(0) }
            .map { try JSONDecoder().decode(JournalEntry.self, from: Data($0.utf8)) }
    }
}
