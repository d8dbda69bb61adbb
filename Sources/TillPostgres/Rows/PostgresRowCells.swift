import TillStorage

/// The columns of one table in a row that may begin with other columns. The server guarantees the types of the columns,
/// so only nulls are checked.
struct RowCells: StoredCells {
    private let row: Row
    private let first: Int
    private let columns: [String]
    let table: String

    /// - Parameter columns: The names of the columns, for error messages.
    init(_ row: Row, of table: String, _ columns: [String], from first: Int = 0) {
        self.row = row
        self.table = table
        self.columns = columns
        self.first = first
    }

    static func ledger(_ row: Row, from first: Int = 0) -> RowCells {
        RowCells(row, of: "ledger", LedgerRow.columns, from: first)
    }

    static func outbox(_ row: Row) -> RowCells { RowCells(row, of: "outbox", OutboxRow.columns) }
    static func deliveries(_ row: Row) -> RowCells { RowCells(row, of: "deliveries", DeliveryRow.columns) }
    static func accounts(_ row: Row) -> RowCells { RowCells(row, of: "accounts", AccountRow.columns) }

    func column(_ place: Int) -> String { columns[place] }
    func isNull(_ place: Int) -> Bool { row.isNull(first + place) }

    func integer(_ place: Int) throws(DamagedRow) -> Int64 { try known(row.maybeInt(first + place), place, .integer) }
    func text(_ place: Int) throws(DamagedRow) -> String { try known(row.maybeText(first + place), place, .text) }
    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8] { try known(row.maybeBytes(first + place), place, .bytes) }

    private func known<Value>(_ value: Value?, _ place: Int, _ kind: ShopTable.Column.Kind) throws(DamagedRow) -> Value
    {
        guard let value else { throw damaged(place, kind.problem(holding: "nothing")) }
        return value
    }
}
