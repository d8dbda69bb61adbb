import Foundation
import TillStorage

extension PostgresStorage {
    package func documents(_ kind: DocumentKind) async throws -> [Document] {
        try await read(.documentsOfKind, Arguments(kind.rawValue)) { row in
            Document(kind: kind, name: try row.text(0), app: row.maybeText(1), body: try row.text(2))
        }
    }

    package func put(_ documents: [Document]) async throws {
        let writes = documents.map { Step(.putDocument, Arguments($0.kind.rawValue, $0.name, $0.app, $0.body)) }
        try await write(writes, changing: Set(documents.map(\.kind)))
    }

    package func keep(_ document: Document) async throws -> Document {
        let key = Arguments(document.kind.rawValue, document.name)
        try await write(
            [Step(.keepDocument, key + Arguments(document.app, document.body))],
            changing: [document.kind]
        )
        let kept = try await read(.documentByName, key) { row in
            Document(kind: document.kind, name: document.name, app: row.maybeText(0), body: try row.text(1))
        }
        return kept.first ?? document
    }

    package func removeDocument(_ kind: DocumentKind, name: String) async throws {
        try await write([Step(.removeDocument, Arguments(kind.rawValue, name))], changing: [kind])
    }

    package func appendRequestLog(_ entries: [RequestLogEntry], keeping: Int) async throws {
        let steps = try entries.map { entry in
            Step(
                .appendRequestLog,
                Arguments(entry.id, String(decoding: try JSONEncoder().encode(entry), as: UTF8.self))
            )
        }
        try await write(steps + [Step(.trimRequestLog, Arguments(keeping))])
    }

    package func requestLogEntry(_ id: String) async throws -> RequestLogEntry? {
        try await entries(.requestLogByID, Arguments(id)).first
    }

    package func requestLog(before number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await read(.newestRequestLog, Arguments(number, limit)) { (try $0.int(0), try $0.text(1)) }.map { row in
            let entry = try JSONDecoder().decode(RequestLogEntry.self, from: Data(row.1.utf8))
            return NumberedEntry(number: row.0, entry: entry)
        }
    }

    private func entries(_ statement: Statement, _ arguments: Arguments) async throws -> [RequestLogEntry] {
        try await read(statement, arguments) { try $0.text(0) }
            .map { try JSONDecoder().decode(RequestLogEntry.self, from: Data($0.utf8)) }
    }
}
