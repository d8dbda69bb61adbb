import TillCore

/// Finds what is wrong with a row of cells by reading it the way the engines do.
extension TableRow {
    /// The first cell that cannot be read; nil when the row is readable.
    ///
    /// - Parameter table: the table of the cells.
    package func damage(of table: ShopTable) -> DamagedRow? {
        if let damage = misfit(of: table) { return damage }
        do throws(DamagedRow) {
            switch table {
            case .ledger: _ = try Transaction(TableCells.ledger(self))
            case .outbox: _ = try OutboxEntry(TableCells.outbox(self))
            case .deliveries: _ = try Delivery(TableCells.deliveries(self))
            case .documents, .accounts, .redemptions: break
            }
            return nil
        } catch {
            return error
        }
    }

    /// The first cell whose type differs from its column's; nil when there is none.
    package func misfit(of table: ShopTable) -> DamagedRow? {
        for (cell, column) in zip(cells, table.columns) where !cell.isOf(column) {
            return DamagedRow(
                table: table.rawValue,
                row: table.key.map { "\($0) \(self[$0, of: table]?.words ?? "?")" }.joined(separator: ", "),
                column: column.name,
                problem: cell.problem(in: column)
            )
        }
        return nil
    }
}

extension ShopTable.Column.Kind {
    /// What is wrong with a cell that must be of this kind: a predicate without a full stop.
    ///
    /// - Parameter found: what the cell holds.
    package func problem(holding found: String) -> String { "holds \(found) where \(words) must be" }

    /// The kind in words.
    package var words: String {
        switch self {
        case .integer: "an integer"
        case .text: "text"
        case .bytes: "bytes"
        }
    }
}

extension Cell {
    /// The kind of value; nil for null.
    var kind: ShopTable.Column.Kind? {
        switch self {
        case .integer: .integer
        case .text: .text
        case .bytes: .bytes
        case .null: nil
        }
    }

    fileprivate func isOf(_ column: ShopTable.Column) -> Bool {
        kind.map { $0 == column.kind } ?? column.isOptional
    }

    fileprivate func problem(in column: ShopTable.Column) -> String {
        column.kind.problem(holding: kind?.words ?? "nothing")
    }

    /// The value of a key as findings show it.
    fileprivate var words: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): String(text.prefix(64))
        case .bytes(let bytes): "of \(bytes.count) bytes"
        case .null: "null"
        }
    }
}
