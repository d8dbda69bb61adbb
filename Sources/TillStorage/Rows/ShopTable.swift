import TillCore

/// The tables that contain the data of apps and customers. They have the same columns in every engine, so that rows can
/// be exported from one engine and imported into another. Tables that concern only a server (the request log and the
/// reserved identifiers) are not listed.
package enum ShopTable: String, CaseIterable, Sendable {
    // The cases are in the order of an import: a row never comes before a row that it refers to.
    case documents
    case accounts
    case ledger
    case redemptions
    case outbox
    case deliveries
    case foreignIdentifiers = "foreign_identifiers"

    /// A column of a table.
    package struct Column: Equatable, Sendable {
        /// The type of the cells in a column.
        package enum Kind: String, Sendable {
            case integer
            case text
            case bytes
        }

        /// The name of the column in the engines.
        package let name: String
        /// The type of the cells in this column.
        package let kind: Kind
        /// Whether cells of this column may be null.
        package let isOptional: Bool

        /// A column with its name and type.
        package init(name: String, kind: Kind, isOptional: Bool) {
            self.name = name
            self.kind = kind
            self.isOptional = isOptional
        }
    }

    /// The column that contains the environment. It still has its name from version 0.1.0.
    package static let environment = "realm"

    /// The number of rows in a page of a transfer. A catalog is a single row, and a page must not fill the memory.
    package var pageLength: Int { self == .documents ? 16 : 500 }

    /// The columns of the unique key. Exports are ordered by them.
    package var key: [String] {
        switch self {
        case .documents: ["kind", "name"]
        case .accounts: ["partition", "account"]
        case .ledger: ["partition", "account", "change"]
        case .redemptions: [Self.environment, "app", "product", "offer"]
        case .outbox: ["id"]
        case .deliveries: ["partition", "notification", "endpoint"]
        case .foreignIdentifiers: [Self.environment, "app", "kind", "foreign_id"]
        }
    }

    /// All columns of the table, in order.
    package var columns: [Column] {
        switch self {
        case .documents: Document.format.columns
        case .accounts: AccountChange.format.columns
        case .ledger: Transaction.format.columns
        case .redemptions: Self.redemptionColumns
        case .outbox: OutboxEntry.format.columns
        case .deliveries: Delivery.format.columns
        case .foreignIdentifiers: ForeignIdentifier.format.columns
        }
    }

    private static let redemptionColumns =
        [Column(name: "redeemed", kind: .integer, isOptional: false)]
        + [environment, "app", "product", "offer"].map { Column(name: $0, kind: .text, isOptional: false) }
}

/// A value in a row.
package enum Cell: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case bytes([UInt8])
    case null

    /// Whether every engine can store the value in the column. For example, a text must not contain U+0000.
    package func fits(_ column: ShopTable.Column) -> Bool {
        switch self {
        case .integer: column.kind == .integer
        case .text(let text): column.kind == .text && !text.utf8.contains(0)
        case .bytes: column.kind == .bytes
        case .null: column.isOptional
        }
    }
}

/// A row of a table. It has one cell for each column, in the order of the columns.
package struct TableRow: Hashable, Sendable {
    /// The cells, one for each column of the table.
    package let cells: [Cell]

    /// A row with its cells.
    package init(_ cells: [Cell]) { self.cells = cells }

    /// The cells of the given columns, in the order of `columns`.
    package func cells(_ columns: [String], of table: ShopTable) -> [Cell] {
        columns.compactMap { self[$0, of: table] }
    }

    /// The cells of the unique key of the table.
    package func key(of table: ShopTable) -> [Cell] { cells(table.key, of: table) }

    /// The cell in a column; nil if the table has no such column.
    package subscript(_ column: String, of table: ShopTable) -> Cell? {
        table.columns.firstIndex { $0.name == column }.map { cells[$0] }
    }
}

/// The cells of an exported row, which are read in the same way as the cells of an engine's row.
final class TableCells: StoredCells {
    private let row: TableRow
    private let source: ShopTable

    private init(row: TableRow, source: ShopTable) { (self.row, self.source) = (row, source) }

    static func ledger(_ row: TableRow) -> TableCells { TableCells(row: row, source: .ledger) }
    static func outbox(_ row: TableRow) -> TableCells { TableCells(row: row, source: .outbox) }
    static func deliveries(_ row: TableRow) -> TableCells { TableCells(row: row, source: .deliveries) }
    static func foreignIdentifiers(_ row: TableRow) -> TableCells {
        TableCells(row: row, source: .foreignIdentifiers)
    }

    var table: String { source.rawValue }
    func column(_ place: Int) -> String { source.columns[place].name }
    func isNull(_ place: Int) -> Bool { row.cells[place] == .null }

    func integer(_ place: Int) throws(DamagedRow) -> Int64 {
        guard case .integer(let number) = row.cells[place] else { throw misfit(place, .integer) }
        return number
    }

    func text(_ place: Int) throws(DamagedRow) -> String {
        guard case .text(let text) = row.cells[place] else { throw misfit(place, .text) }
        return text
    }

    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8] {
        guard case .bytes(let bytes) = row.cells[place] else { throw misfit(place, .bytes) }
        return bytes
    }

    private func misfit(_ place: Int, _ wanted: ShopTable.Column.Kind) -> DamagedRow {
        damaged(place, wanted.problem(holding: row.cells[place].kind?.words ?? "nothing"))
    }
}
