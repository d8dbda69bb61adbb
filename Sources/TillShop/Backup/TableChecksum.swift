import Crypto
import TillSigning
import TillStorage

/// The number of rows of a table, and the SHA-256 of the rows. All engines compute the same checksum for the same rows.
package struct TableChecksum: Codable, Equatable, Sendable {
    /// The name of the table: `table`, or `snapshot/table` for a table of a snapshot.
    package let name: String
    /// The number of rows.
    package let rows: Int
    /// The checksum in hexadecimal: the SHA-256 of the digests of all partitions, ordered by partition number. The
    /// digest of a partition is the SHA-256 of its rows, ordered by key. A table without partitions counts as one
    /// partition.
    package let sha256: String
}

/// The progress of copying or reading a store.
package struct StoreProgress: Sendable {
    /// Whether rows are being copied, or read for a comparison.
    package enum Step: String, Sendable {
        case carried
        case checked
    }

    /// Whether rows are being copied, or read for a comparison.
    package let step: Step
    /// The name of the table: `table`, or `snapshot/table` for a table of a snapshot.
    package let part: String
    /// The number of rows of the table that were copied or read so far.
    package let rows: Int
    /// Whether all rows of the table were copied or read.
    package let isWhole: Bool
}

extension Storage {
    /// Copies the data of one moment to an empty store.
    ///
    /// - Parameter note: receives the progress after each page.
    /// - Returns: the checksums of the tables that were read, followed by those of the snapshots' tables.
    func copy(
        to target: any Storage,
        noting note: @escaping @Sendable (StoreProgress) throws -> Void
    ) async throws -> [TableChecksum] {
        try await checksums(.carried, noting: note) { try await target.write($0) }
    }

    /// Computes the checksums of all tables and snapshots. Tables that an older store does not have are skipped.
    ///
    /// - Parameters:
    ///   - note: receives the progress after each page.
    ///   - take: receives everything that is read.
    func checksums(
        _ step: StoreProgress.Step = .checked,
        noting note: @escaping @Sendable (StoreProgress) throws -> Void = { _ in },
        _ take: @escaping @Sendable (StoredPart) async throws -> Void = { _ in }
    ) async throws -> [TableChecksum] {
        let sums = Checksums()
        try await readWhole { part in
            try await take(part)
            guard case .rows(let rows, let table, let snapshot) = part, !columns(of: table).isEmpty else { return }
            let name = snapshot.map { "\($0.name)/\(table.rawValue)" } ?? table.rawValue
            let counted = snapshot == nil && table == .documents ? rows.filter { !$0.isMark } : rows
            let count = await sums.add(counted, to: name) { TableDigest(name, table, columns(of: table)) }
            try note(StoreProgress(step: step, part: name, rows: count, isWhole: rows.isEmpty))
        }
        return await sums.all
    }
}

/// The checksums of a store that is being read, table by table.
private actor Checksums {
    private var tables: [TableDigest] = []

    /// - Returns: the number of rows of the table so far.
    func add(_ rows: [TableRow], to name: String, _ make: @Sendable () -> TableDigest) -> Int {
        if tables.last?.name != name { tables.append(make()) }
        for row in rows { tables[tables.count - 1].add(row) }
        return tables[tables.count - 1].rows
    }

    var all: [TableChecksum] { tables.map(\.sum) }
}

/// Computes a checksum row by row. Each partition has its own digest, because engines read the partitions in different
/// orders.
private struct TableDigest {
    let name: String
    /// The index of the column `partition`; nil for a table without partitions.
    private let column: Int?
    /// The indexes of the columns that the checksum includes.
    private let places: [Int]
    private var partitions: [Int64: SHA256] = [:]
    private(set) var rows = 0

    /// - Parameter columns: the columns of the table in its store; an older store may have fewer.
    init(_ name: String, _ table: ShopTable, _ columns: [ShopTable.Column]) {
        self.name = name
        column = table.columns.firstIndex { $0.name == "partition" }
        places = columns.compactMap { table.columns.firstIndex(of: $0) }
    }

    mutating func add(_ row: TableRow) {
        var partition: Int64 = 0
        if let column, case .integer(let number) = row.cells[column] { partition = number }
        var text: [UInt8] = []
        StateFile.append(TableRow(places.map { row.cells[$0] }), to: &text)
        partitions[partition, default: SHA256()].update(data: text)
        rows += 1
    }

    var sum: TableChecksum {
        var whole = SHA256()
        for (_, partition) in partitions.sorted(by: { $0.key < $1.key }) {
            partition.finalize().withUnsafeBytes { whole.update(bufferPointer: $0) }
        }
        return TableChecksum(name: name, rows: rows, sha256: Hexadecimal.text(whole.finalize()))
    }
}
