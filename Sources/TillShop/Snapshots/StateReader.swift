import Crypto
import Foundation
import TillCore
import TillSigning
import TillStorage

/// Reads an exported state line by line, and checks its form: the order of the tables, their columns, and the last
/// line, which proves that the file is complete and unchanged.
struct StateReader {
    /// What a line contains.
    enum Content {
        case head(app: String?)
        /// The line before the rows of a table.
        case table
        case row(TableRow, ShopTable)
        case companion(Document)
        case foot
    }

    private var digest = SHA256()
    private(set) var lineNumber = 0
    private(set) var head: StateFile.Head?
    private var isWhole = false
    /// The table whose rows follow; nil before the first table.
    private var table: ShopTable?
    /// How many columns at the end of the table the file lacks.
    private var lackingColumns = 0
    /// Whether the rows that follow are companions. They have the form of documents.
    private var isCompanions = false
    private var seen: Set<String> = []
    private var rows = 0

    /// Reads a line, without its line break.
    ///
    /// - Throws: `StateRefused` for an error in the form of the file.
    mutating func read(_ text: [UInt8]) throws -> Content {
        lineNumber += 1
        guard !isWhole else { throw refused("something follows the last line") }
        let content: Content
        if head == nil {
            content = try readHead(text)
        } else if text.first == UInt8(ascii: "[") {
            content = try readRow(text)
        } else if let part = try? JSONDecoder().decode(StateFile.Part.self, from: Data(text)) {
            try begin(part)
            content = .table
        } else {
            return try readFoot(text)
        }
        digest.update(data: text)
        digest.update(data: [UInt8(ascii: "\n")])
        return content
    }

    /// Checks that all lines were read.
    ///
    /// - Returns: the app of the state; nil for the whole shop.
    func finish() throws -> String? {
        guard let head, isWhole else { throw refused("the file ends before its last line") }
        let missing = ShopTable.allCases.filter { !$0.isOptional && !seen.contains($0.rawValue) }.map(\.rawValue)
        guard missing.isEmpty else { throw refused("the table \(missing.joined(separator: ", ")) is missing") }
        return head.app
    }

    private mutating func readHead(_ text: [UInt8]) throws -> Content {
        guard let head = try? JSONDecoder().decode(StateFile.Head.self, from: Data(text)), head.till == "state" else {
            throw refused("the file is not a state that Till exported")
        }
        guard head.format == StateFile.format else {
            throw refused("the format is \(head.format); this Till reads format \(StateFile.format)")
        }
        self.head = head
        return .head(app: head.app)
    }

    private mutating func begin(_ part: StateFile.Part) throws {
        guard seen.insert(part.table).inserted else { throw refused("the table \(part.table) occurs twice") }
        isCompanions = part.table == StateFile.companions
        guard let table = isCompanions ? .documents : ShopTable(rawValue: part.table) else {
            throw refused("there is no table \(part.table.prefix(64))")
        }
        guard ShopTable.allCases.prefix(while: { $0 != table }).allSatisfy({ seen.contains($0.rawValue) }) else {
            throw refused("the table \(part.table) comes too early")
        }
        // A file of an earlier version lacks the columns that were added later. They are optional and at the end.
        let lacking = table.columns.dropFirst(part.columns.count)
        guard part.columns + lacking.map(\.name) == table.columns.map(\.name), lacking.allSatisfy(\.isOptional) else {
            throw refused("the columns of \(part.table) belong to another version of Till")
        }
        self.table = table
        lackingColumns = lacking.count
    }

    private mutating func readRow(_ text: [UInt8]) throws -> Content {
        rows += 1
        guard let table else { throw refused("a row comes before any table") }
        let row = StateFile.row(text, of: table, lacking: lackingColumns)
        if isCompanions {
            guard let document = row.flatMap({ Document($0) }) else { throw refused("the line is not a document") }
            return .companion(document)
        }
        guard let row else { throw refused("the line is not a row of \(table.rawValue)") }
        return .row(row, table)
    }

    private mutating func readFoot(_ text: [UInt8]) throws -> Content {
        guard let foot = try? JSONDecoder().decode(StateFile.Foot.self, from: Data(text)) else {
            throw refused("the line is neither a row nor a table")
        }
        guard foot.rows == rows, foot.sha256 == Hexadecimal.text(digest.finalize()) else {
            throw refused("the file was changed: its digest or its row count differs")
        }
        isWhole = true
        return .foot
    }

    /// The error for the current line.
    func refused(_ what: String) -> StateRefused { .badFile(line: max(lineNumber, 1), what) }
}
