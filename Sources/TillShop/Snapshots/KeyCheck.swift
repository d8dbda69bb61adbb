import Crypto
import TillStorage

/// Finds rows in an exported state that have the same unique key as an earlier row of their table. Because a state may
/// be large, the check keeps only 16 bytes of each key's digest, and only for the current table.
struct KeyCheck {
    private struct Digest: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var table: ShopTable?
    private var seen: Set<Digest> = []

    /// Checks the keys of a row. All rows of a table must come before the rows of the next table.
    ///
    /// - Returns: the error as a clause; nil if there is none.
    mutating func fault(in row: TableRow, of table: ShopTable) -> String? {
        if self.table != table {
            self.table = table
            seen = []
        }
        for columns in [table.key] + Self.further(table) {
            let cells = row.cells(columns, of: table)
            guard !cells.contains(.null), !seen.insert(Self.digest(cells, columns)).inserted else { continue }
            let values = zip(columns, cells).map { "\($0) \(Self.words($1))" }.joined(separator: ", ")
            return "an earlier row of \(table.rawValue) has the same key (\(values))"
        }
        return nil
    }

    /// The unique keys of a table in addition to its primary key.
    private static func further(_ table: ShopTable) -> [[String]] {
        switch table {
        case .accounts: [[ShopTable.environment, "app", "customer"]]
        case .ledger: [["account", "refund_number"]]
        case .outbox: [["uuid"]]
        case .documents, .redemptions, .deliveries: []
        }
    }

    private static func digest(_ cells: [Cell], _ columns: [String]) -> Digest {
        var text: [UInt8] = Array(columns.joined(separator: " ").utf8)
        StateFile.append(TableRow(cells), to: &text)
        return SHA256.hash(data: text).withUnsafeBytes { bytes in
            Digest(
                high: bytes.loadUnaligned(as: UInt64.self),
                low: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
            )
        }
    }

    private static func words(_ cell: Cell) -> String {
        switch cell {
        case .integer(let number): String(number)
        case .text(let text): text.cut(toBytes: 64)
        case .bytes, .null: "?"
        }
    }
}
