import Crypto
import TillSigning
import TillStorage

/// How many rows a table has, and a SHA-256 over them: the same on every engine for the same rows.
package struct TableSum: Equatable, Sendable {
    /// How many.
    package let rows: Int
    /// Hexadecimal. Of the SHA-256 of each partition, in the order of their numbers, with the rows in the order of
    /// their keys; a table without partitions is one partition.
    package let sha256: String

    /// Adds rows up. Engines differ in which partition they read first, so that each is summed up by itself.
    struct Making {
        /// Where in a row its partition stands.
        private let column: Int?
        private var partitions: [Int64: SHA256] = [:]
        private(set) var rows = 0

        init(of table: ShopTable) {
            column = table.columns.firstIndex { $0.name == "partition" }
        }

        mutating func add(_ row: TableRow) {
            var partition: Int64 = 0
            if let column, case .integer(let number) = row.cells[column] { partition = number }
            var text: [UInt8] = []
            StateFile.append(row, to: &text)
            partitions[partition, default: SHA256()].update(data: text)
            rows += 1
        }

        func sum() -> TableSum {
            var whole = SHA256()
            for (_, partition) in partitions.sorted(by: { $0.key < $1.key }) {
                partition.finalize().withUnsafeBytes { whole.update(bufferPointer: $0) }
            }
            return TableSum(rows: rows, sha256: Hexadecimal.text(whole.finalize()))
        }
    }
}
