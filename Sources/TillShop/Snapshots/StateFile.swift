import Foundation
import TillJSON
import TillSigning
import TillStorage

/// The format of an exported state. The first line is a header. For each table, a line with the columns and a line for
/// each row follow. The last line contains the row count and the digest of everything before it. The same state always
/// gives the same bytes (docs/operating/reset-and-snapshots.md).
enum StateFile {
    static let format = 1
    /// The maximum length of a line in bytes. A single cell may contain a whole catalog.
    static let maxLine = 64 << 20

    /// The first line.
    struct Head: Codable, Equatable {
        /// The kind of file: always `state`.
        var till: String
        var format: Int
        /// The app of the state; nil for the whole shop.
        var app: String?
    }

    /// The line before the rows of a table.
    struct Part: Codable, Equatable {
        var table: String
        var columns: [String]
    }

    /// The last line.
    struct Foot: Codable, Equatable {
        var rows: Int
        /// The SHA-256 digest of every byte before this line, in hexadecimal.
        var sha256: String
    }

    /// The name of the last table. It has the columns of `documents` and contains documents that a state needs but that
    /// do not belong to it, such as certificate chains. An import stores only documents that the database lacks.
    static let companions = "companions"

    static func line(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }

    static func append(_ row: TableRow, to text: inout [UInt8]) {
        let cells = row.cells.map { cell -> JSONTree in
            switch cell {
            case .integer(let number): .number(String(number))
            case .text(let words): .string(words)
            case .bytes(let bytes): .string(Base64.encode(bytes))
            case .null: .null
            }
        }
        JSONTree.array(cells).append(to: &text)
        text.append(UInt8(ascii: "\n"))
    }

    /// Parses a line as a row of a table; nil if the line is not such a row.
    ///
    /// - Parameter lacking: how many columns at the end of the table the file lacks. They are null.
    static func row(_ line: [UInt8], of table: ShopTable, lacking: Int = 0) -> TableRow? {
        guard case .array(let values)? = try? JSONTree.parse(line, limits: .depthOnly, keepsNull: true),
            values.count + lacking == table.columns.count
        else { return nil }
        var cells: [Cell] = []
        for (value, column) in zip(values, table.columns) {
            let cell: Cell? =
                switch value {
                case .number(let digits): Int64(digits).map { .integer($0) }
                case .string(let words): column.kind == .bytes ? Base64.decode(words).map { .bytes($0) } : .text(words)
                case .null: .null
                case .bool, .array, .object: nil
                }
            guard let cell, cell.fits(column) else { return nil }
            cells.append(cell)
        }
        return TableRow(cells + Array(repeating: .null, count: lacking))
    }
}

extension Document {
    /// The document as a row of `documents`.
    var row: TableRow {
        TableRow([.text(kind.rawValue), .text(name), .text(body), app.map { .text($0) } ?? .null])
    }

    /// Reads a document from a row of `documents`; nil if the document's kind is unknown.
    init?(_ row: TableRow) {
        guard
            case .text(let word)? = row["kind", of: .documents], let kind = DocumentKind(rawValue: word),
            case .text(let name)? = row["name", of: .documents], case .text(let body)? = row["body", of: .documents]
        else { return nil }
        var app: String?
        if case .text(let bundleID)? = row["app", of: .documents] { app = bundleID }
        self.init(kind: kind, name: name, app: app, body: body)
    }
}

extension ShopTable {
    /// Whether a file contains the table only if the table has rows. Version 0.1.0 did not have this table.
    var isOptional: Bool { self == .foreignIdentifiers }
}
