import Crypto
import Foundation
import TillCore
import TillJSON
import TillSigning
import TillStorage

/// A state as a text that can be kept, compared and moved: a header line, then for each table a line with its columns
/// and a line for each row, then a line with the row count and the digest of everything before it. The same state
/// always gives the same bytes (docs/operating/reset-and-snapshots.md).
enum StateFile {
    static let format = 1
    /// One cell of one row may contain a whole catalog.
    static let maxLine = 64 << 20

    /// The first line.
    struct Head: Codable, Equatable {
        /// `state`.
        var till: String
        var format: Int
        /// Nil for the whole shop.
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
        /// SHA-256 of every byte before this line, hexadecimal.
        var sha256: String
    }

    /// What an app needs from its team and the shop, in the columns of `documents`. An import stores only what is
    /// missing.
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

    /// Parses a row of a table; nil for a line that is not one.
    static func row(_ line: [UInt8], of table: ShopTable) -> TableRow? {
        guard
            let values = try? JSONDecoder().decode([Value].self, from: Data(line)),
            values.count == table.columns.count
        else { return nil }
        var cells: [Cell] = []
        for (value, column) in zip(values, table.columns) {
            let cell: Cell? =
                switch value {
                case .number(let number): .integer(number)
                case .words(let words): column.kind == .bytes ? Base64.decode(words).map { .bytes($0) } : .text(words)
                case .nothing: .null
                }
            guard let cell, cell.fits(column) else { return nil }
            cells.append(cell)
        }
        return TableRow(cells)
    }

    private enum Value: Decodable {
        case number(Int64)
        case words(String)
        case nothing

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .nothing
            } else if let number = try? value.decode(Int64.self) {
                self = .number(number)
            } else {
                self = .words(try value.decode(String.self))
            }
        }
    }
}

extension Document {
    /// The document as a row of `documents`.
    var row: TableRow {
        TableRow([.text(kind.rawValue), .text(name), .text(body), app.map { .text($0) } ?? .null])
    }

    /// Reads a row of `documents`; nil if its kind is unknown.
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
