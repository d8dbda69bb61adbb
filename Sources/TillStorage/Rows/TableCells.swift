import TillCore

/// The cells of an exported row, in the order in which engines select them.
struct TableCells: StoredCells {
    let table: String
    private let cells: [Cell]
    private let columns: [ShopTable.Column]
    /// For each index among the selected columns, the index among the cells.
    private let places: [Int]

    private init(_ row: TableRow, of table: ShopTable, _ places: [Int]) {
        self.table = table.rawValue
        self.places = places
        cells = row.cells
        columns = table.columns
    }

    static func ledger(_ row: TableRow) -> TableCells { TableCells(row, of: .ledger, ledgerPlaces) }
    static func outbox(_ row: TableRow) -> TableCells { TableCells(row, of: .outbox, outboxPlaces) }
    static func deliveries(_ row: TableRow) -> TableCells { TableCells(row, of: .deliveries, deliveryPlaces) }

    private static let ledgerPlaces = places(of: Transaction.storedColumns, in: .ledger)
    private static let outboxPlaces = places(of: OutboxEntry.storedColumns, in: .outbox)
    private static let deliveryPlaces = places(of: Delivery.storedColumns, in: .deliveries)

    private static func places(of columns: [String], in table: ShopTable) -> [Int] {
        let names = table.columns.map(\.name)
        return columns.compactMap { names.firstIndex(of: $0) }
    }

    func column(_ place: Int) -> String { columns[places[place]].name }
    func isNull(_ place: Int) -> Bool { cells[places[place]] == .null }

    func integer(_ place: Int) throws(DamagedRow) -> Int64 {
        guard case .integer(let number) = cells[places[place]] else { throw damaged(place, problem(place, .integer)) }
        return number
    }

    func text(_ place: Int) throws(DamagedRow) -> String {
        guard case .text(let text) = cells[places[place]] else { throw damaged(place, problem(place, .text)) }
        return text
    }

    func bytes(_ place: Int) throws(DamagedRow) -> [UInt8] {
        guard case .bytes(let bytes) = cells[places[place]] else { throw damaged(place, problem(place, .bytes)) }
        return bytes
    }

    private func problem(_ place: Int, _ wanted: ShopTable.Column.Kind) -> String {
        wanted.problem(holding: cells[places[place]].kind?.words ?? "nothing")
    }
}
