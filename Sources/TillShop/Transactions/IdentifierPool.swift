import Crypto
import Foundation
import Synchronization
import TillCore
import TillSigning
import TillStorage

/// Assigns counter values for identifiers from blocks, which are reserved in the database first. If a server crashes,
/// the rest of its block is lost, so no value is ever assigned twice.
final class IdentifierPool: Sendable {
    /// The error of ``take(_:)`` if the block has too few values.
    struct Exhausted: Error {
        /// The number of values that are needed.
        let count: Int64
    }

    private struct Block {
        var values: Range<Int64> = 0..<0
        var reserved = ContinuousClock.now
        /// The counter values of imported identifiers, in ascending order.
        var imported: [Int64] = []

        /// The next consecutive values that no imported identifier has; nil if the block has too few.
        mutating func take(_ count: Int64) -> Range<Int64>? {
            while Int64(values.count) >= count {
                let taken = values.prefix(Int(count))
                guard let hit = lastImported(below: taken.upperBound), hit >= taken.lowerBound else {
                    values = values.dropFirst(Int(count))
                    return taken
                }
                values = hit + 1..<values.upperBound
            }
            return nil
        }

        /// The highest imported value below a limit, by binary search; nil if there is none.
        private func lastImported(below limit: Int64) -> Int64? {
            var (low, high) = (0, imported.count)
            while low < high {
                let middle = (low + high) / 2
                if imported[middle] < limit { low = middle + 1 } else { high = middle }
            }
            return low > 0 ? imported[low - 1] : nil
        }
    }

    private let storage: any Storage
    private let block = Mutex(Block())
    /// The number of values in a block. Each block costs one write to the database.
    private static let blockSize: Int64 = 8_192
    /// The maximum time for which a block is used. It limits by how much numbers of different nodes can differ in age
    /// (`Retention.HighWaterMark`).
    static let blockLife = Duration.seconds(86_400)

    /// Never assigns these values, which the identifiers of an import in progress have.
    func skip(_ counters: [Int64]) {
        block.withLock { $0.imported = Array(Set($0.imported + counters)).sorted() }
    }

    /// The random text from which UUIDs are derived, so that a replayed run has the same UUIDs.
    let seed: String

    /// Reads the seed of the database, or creates it at the first start.
    init(storage: any Storage) async throws {
        self.storage = storage
        let body = "\"\(UUID().uuidString.lowercased())\""
        // Another server may start with the same empty database at the same time, so the first stored seed wins.
        seed = try await storage.keep(Document(kind: .shop, name: "seed", body: body)).body
        try await readImported()
    }

    /// Reads the identifiers of imported customers, which are never assigned.
    func readImported() async throws {
        var imported: [Int64] = []
        var last: TableRow?
        while true {
            let rows = try await storage.rows(of: .foreignIdentifiers, after: last, limit: 1_000)
            imported += rows.compactMap { try? ForeignIdentifier($0).counter }
            guard rows.count == 1_000 else { break }
            last = rows.last
        }
        let sorted = imported.sorted()
        block.withLock { $0.imported = sorted }
    }

    /// A lower-case UUID derived from the database's seed and a name, so that a replayed run has the same UUIDs.
    func uuid(_ name: String) -> String { UUIDText.version4(of: Array(digest(of: name))) }

    /// The UUID of a notification, derived from the notification's number. A restore never reuses numbers, so UUIDs are
    /// unique. This matters because receivers drop notifications whose UUID they already know.
    ///
    /// The first 48 bits are the counter value of the number. So new UUIDs are at the end of their index, and the
    /// notifications of a commit share its last page. Random UUIDs would each rewrite a page of their own.
    func uuid(of id: NotificationID) -> String {
        let counter = withUnsafeBytes(of: (id.number / Partition.count).bigEndian) { Array($0.suffix(6)) }
        return UUIDText.version4(of: counter + digest(of: "notification/\(id.number)").prefix(10))
    }

    private func digest(of name: String) -> SHA256.Digest { SHA256.hash(data: Array("\(seed)/\(name)".utf8)) }

    /// Takes a number of consecutive values. ``Transactor`` reserves more and decides again if this fails.
    func take(_ count: Int64) throws(Exhausted) -> Identifiers {
        let taken = block.withLock { block -> Range<Int64>? in
            if block.reserved + Self.blockLife < .now { block.values = 0..<0 }
            return block.take(count)
        }
        guard let taken else { throw Exhausted(count: count) }
        return Identifiers(reserved: taken)
    }

    /// Reserves a block if the present one has fewer values than needed.
    func reserve(_ count: Int64) async throws {
        let range = try await storage.reserveIdentifiers(max(count, Self.blockSize))
        // Another server may have imported customers since the last block.
        try await readImported()
        block.withLock { block in
            // During the await another call may have reserved a block. If that block has enough values, it is kept.
            if Int64(block.values.count) < count { (block.values, block.reserved) = (range, .now) }
        }
    }

    /// Takes a number of consecutive values, outside of a transaction.
    func takeOrReserve(_ count: Int64) async throws -> Identifiers {
        while true {
            if let taken = try? take(count) { return taken }
            try await reserve(count)
        }
    }

    /// Discards the current block, because its values may have been assigned elsewhere.
    func forget() { block.withLock { $0.values = 0..<0 } }

    /// Takes back unused values of the last command. If another command has taken values since, the unused values are
    /// lost, because within an account a larger identifier must always be newer.
    func giveBack(_ rest: Identifiers) {
        let range = rest.reserved
        block.withLock { block in
            if range.upperBound == block.values.lowerBound { block.values = range.lowerBound..<block.values.upperBound }
        }
    }
}
