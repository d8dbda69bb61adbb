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
        /// The values that were not assigned yet.
        var values: Range<Int64> = 0..<0
        /// All values of the block.
        private(set) var whole: Range<Int64> = 0..<0
        private(set) var reserved = ContinuousClock.now
        /// The counter values of imported identifiers in the block, in ascending order.
        private(set) var imported: [Int64] = []
        /// The counter values that imports of this server reserve now, with the number of imports.
        private var underway: [Int64: Int] = [:]
        /// The number of times that `imported` was replaced.
        private(set) var readings = 0
        /// The imported counter values and those of imports in progress, in ascending order.
        private var skipped: [Int64] = []

        /// Begins a new block.
        mutating func begin(_ range: Range<Int64>, imported: [Int64]) {
            (values, whole, reserved) = (range, range, .now)
            replace(imported: imported)
        }

        mutating func replace(imported: [Int64]) {
            self.imported = imported
            readings += 1
            skipped = Set(imported + underway.keys).sorted()
        }

        mutating func begin(_ counters: [Int64]) {
            for counter in counters { underway[counter, default: 0] += 1 }
            skipped = Set(imported + underway.keys).sorted()
        }

        mutating func end(_ counters: [Int64]) {
            for counter in counters {
                let rest = underway[counter, default: 1] - 1
                underway[counter] = rest > 0 ? rest : nil
            }
            skipped = Set(imported + underway.keys).sorted()
        }

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

        var hasSkipped: Bool { !skipped.isEmpty }
        func skips(_ counter: Int64) -> Bool { lastImported(below: counter + 1) == counter }

        /// The highest imported value below a limit, by binary search; nil if there is none.
        private func lastImported(below limit: Int64) -> Int64? {
            var (low, high) = (0, skipped.count)
            while low < high {
                let middle = (low + high) / 2
                if skipped[middle] < limit { low = middle + 1 } else { high = middle }
            }
            return low > 0 ? skipped[low - 1] : nil
        }
    }

    private let storage: any Storage
    private let block = Mutex(Block())
    /// The reservation in progress, for which everyone waits who needs values.
    private let reservation = Mutex<Task<Void, any Error>?>(nil)
    /// The number of values in a block. Each block costs one write to the database.
    private static let blockSizes: ClosedRange<Int64> = 8_192...131_072
    /// The maximum time for which a block is used. It limits by how much numbers of different nodes can differ in age
    /// (`Retention.HighWaterMark`).
    static let blockLife = Duration.seconds(86_400)

    /// Runs an import, which reserves counter values. No other operation of this server gets them from now on.
    func reserving<Value: Sendable>(_ counters: [Int64], _ body: () async throws -> Value) async throws -> Value {
        block.withLock { $0.begin(counters) }
        let result: Result<Value, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        do {
            // A failed import may have been committed, too.
            try await readReserved()
            block.withLock { $0.end(counters) }
        } catch {
            // The values stay reserved.
        }
        return try result.get()
    }

    /// The random text from which UUIDs are derived, so that a replayed run has the same UUIDs.
    let seed: String

    /// Reads the seed of the database, or creates it at the first start.
    init(storage: any Storage) async throws {
        self.storage = storage
        let body = "\"\(UUID().uuidString.lowercased())\""
        // Another server may start with the same empty database at the same time, so the first stored seed wins.
        seed = try await storage.keep(Document(kind: .shop, name: "seed", body: body)).body
    }

    /// Reads which values of the block the identifiers of imported customers have. They are never assigned.
    ///
    /// A server reads them when it reserves a block, after an import of its own, and after an import of another server.
    /// The database refuses commits of a server that has not read the last import (`ConfigurationVersions.imports`).
    func readReserved() async throws {
        while true {
            let range = block.withLock { $0.whole }
            let imported = try await range.isEmpty ? [] : storage.reservedCounters(in: range)
            let isCurrent = block.withLock { block in
                // Another call may have reserved a new block meanwhile.
                guard block.whole == range else { return false }
                block.replace(imported: imported)
                return true
            }
            if isCurrent { return }
        }
    }

    /// Whether a change creates an identifier that an import has reserved since the decision.
    func hasReserved(_ change: Change) -> Bool {
        block.withLock { block in
            guard block.hasSkipped else { return false }
            let rows = change.rows.filter { $0.before == nil }.map(\.after)
            let accounts = change.accounts.filter { $0.before == nil }.map { Identifiers.counter(of: $0.account.id) }
            let orders = rows.compactMap(\.order).map { $0.number / Partition.count }
            let items = rows.compactMap(\.lineItem).map { Identifiers.counter(of: TransactionID($0)) }
            let own = rows.map { Identifiers.counter(of: $0.id) }
            return (accounts + orders + items + own).contains { block.skips($0) }
        }
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

    /// Reserves a block, or waits for the block that is being reserved. It may have fewer values than needed.
    func reserve(_ count: Int64) async throws {
        let task = reservation.withLock { present in
            if let present { return present }
            let new = Task {
                defer { reservation.withLock { $0 = nil } }
                try await reserveBlock(count)
            }
            present = new
            return new
        }
        try await task.value
    }

    private func reserveBlock(_ count: Int64) async throws {
        let range = try await storage.reserveIdentifiers(max(count, nextBlockSize))
        while true {
            let readings = block.withLock { $0.readings }
            let imported = try await storage.reservedCounters(in: range)
            let isDone = block.withLock { block in
                // During the await another call may have reserved a block. If that block has enough values, it is kept.
                if Int64(block.values.count) >= count { return true }
                // An import may have ended after the values were read.
                guard block.readings == readings else { return false }
                block.begin(range, imported: imported)
                return true
            }
            if isDone { return }
        }
    }

    /// A block that is used up within a second is followed by one of twice the size. The renewals of many customers use
    /// up thousands of values a second.
    private var nextBlockSize: Int64 {
        let (size, reserved) = block.withLock { (Int64($0.whole.count), $0.reserved) }
        let wanted = reserved + .seconds(1) > .now ? size * 2 : Self.blockSizes.lowerBound
        return min(max(wanted, Self.blockSizes.lowerBound), Self.blockSizes.upperBound)
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
