import Crypto
import TillSigning
import TillStorage

/// The number of rows of a table, and the SHA-256 of the rows. All engines compute the same checksum for the same rows.
package struct TableChecksum: Equatable, Sendable {
    /// The number of rows.
    package let rows: Int
    /// The checksum in hexadecimal: the SHA-256 of the digests of all partitions, ordered by partition number. The
    /// digest of a partition is the SHA-256 of its rows, ordered by key. A table without partitions counts as one
    /// partition.
    package let sha256: String

    /// Computes a checksum row by row. Each partition has its own digest, because engines read the partitions in
    /// different orders.
    struct Making {
        /// The index of the column `partition`; nil for a table without partitions.
        private let column: Int?
        /// The indexes of the columns that the checksum includes; nil includes all columns.
        private let places: [Int]?
        private var partitions: [Int64: SHA256] = [:]
        private(set) var rows = 0

        /// - Parameter columns: the columns of the table in an older store, which may have fewer; nil includes all.
        init(of table: ShopTable, _ columns: [ShopTable.Column]? = nil) {
            column = table.columns.firstIndex { $0.name == "partition" }
            let isWhole = columns == nil || columns == table.columns
            places = isWhole ? nil : columns?.compactMap { table.columns.firstIndex(of: $0) }
        }

        mutating func add(_ row: TableRow) {
            var partition: Int64 = 0
            if let column, case .integer(let number) = row.cells[column] { partition = number }
            var text: [UInt8] = []
            StateFile.append(places.map { TableRow($0.map { row.cells[$0] }) } ?? row, to: &text)
            partitions[partition, default: SHA256()].update(data: text)
            rows += 1
        }

        func sum() -> TableChecksum {
            var whole = SHA256()
            for (_, partition) in partitions.sorted(by: { $0.key < $1.key }) {
                partition.finalize().withUnsafeBytes { whole.update(bufferPointer: $0) }
            }
            return TableChecksum(rows: rows, sha256: Hexadecimal.text(whole.finalize()))
        }
    }
}

extension TableChecksum {
    /// The name of a table in a manifest: `table`, or `snapshot/table` for a table of a snapshot.
    static func name(of table: ShopTable, in snapshot: String?) -> String {
        snapshot.map { "\($0)/\(table.rawValue)" } ?? table.rawValue
    }

    /// Computes the checksum of a table of a store, or of a table of a snapshot in the store.
    ///
    /// - Parameter note: receives the number of rows read so far, after each page.
    static func sum(
        _ table: ShopTable,
        of snapshot: String?,
        in storage: any Storage,
        noting note: @Sendable (Int) -> Void = { _ in }
    ) async throws -> TableChecksum {
        var summing = TableChecksum.Making(of: table, storage.columns(of: table))
        if let snapshot {
            var last: Int64?
            repeat {
                let page = try await storage.rows(of: table, in: snapshot, after: last, limit: table.pageLength)
                for placed in page { summing.add(placed.row) }
                last = page.last?.place
                note(summing.rows)
            } while last != nil
        } else {
            var last: TableRow?
            repeat {
                let page = try await storage.rows(of: table, after: last, limit: table.pageLength)
                for row in page where table != .documents || !row.isMark { summing.add(row) }
                last = page.last
                note(summing.rows)
            } while last != nil
        }
        return summing.sum()
    }

    /// Computes the checksums of all tables of a store and of its snapshots. Tables that an older store does not have
    /// are skipped.
    static func parts(of storage: any Storage) async throws -> [BackupManifest.Part] {
        var parts: [BackupManifest.Part] = []
        for snapshot in [nil] + (try await storage.snapshots().map(\.name)) {
            for table in ShopTable.allCases where !storage.columns(of: table).isEmpty {
                let sum = try await sum(table, of: snapshot, in: storage)
                parts.append(BackupManifest.Part(name: name(of: table, in: snapshot), sum: sum))
            }
        }
        return parts
    }
}
