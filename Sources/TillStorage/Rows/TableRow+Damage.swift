import TillCore

/// Finds damage in a row by reading its cells in the same way as the engines.
extension TableRow {
    /// The error for the first cell that cannot be read; nil if the whole row can be read.
    ///
    /// - Parameter table: The table of the row.
    package func damage(of table: ShopTable) -> DamagedRow? {
        if let damage = misfit(of: table) { return damage }
        do throws(DamagedRow) {
            switch table {
            case .ledger: _ = try Transaction(TableCells.ledger(self))
            case .outbox: _ = try OutboxEntry(self)
            case .deliveries: _ = try Delivery(self)
            case .foreignIdentifiers: _ = try ForeignIdentifier(self)
            case .documents, .accounts, .redemptions: break
            }
            return nil
        } catch {
            return error
        }
    }

    /// The error for the first cell that does not have the type of its column; nil if there is none.
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
    /// What is wrong with a cell that must have this kind: the predicate of a sentence, without a full stop.
    ///
    /// - Parameter found: The content that the cell has instead.
    package func problem(holding found: String) -> String { "contains \(found) instead of \(words)" }

    /// The kind as text for messages.
    package var words: String {
        switch self {
        case .integer: "an integer"
        case .text: "text"
        case .bytes: "bytes"
        }
    }
}

extension Cell {
    /// The kind of the value; nil for null.
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

    /// The value of a key as text for messages.
    fileprivate var words: String {
        switch self {
        case .integer(let number): String(number)
        case .text(let text): String(text.prefix(64))
        case .bytes(let bytes): "of \(bytes.count) bytes"
        case .null: "null"
        }
    }
}
