import Synchronization
import TillStorage

/// The restore epoch of the store. A restore undoes changes, and later changes get their numbers again, so a position
/// in a history is only valid within one epoch. Every replacement of the rows begins a new epoch, and a cursor of an
/// earlier one starts again from the beginning.
final class RestoreEpoch: Sendable {
    private let number: Mutex<Int64>

    /// The document with the epoch; snapshots do not include it.
    private static let name = "lineage"

    /// Reads the epoch of the store; the first is 0.
    init(storage: any Storage) async throws { number = Mutex(try await Self.read(storage)) }

    /// The epoch that this server knows.
    var current: Int64 { number.withLock { $0 } }

    /// Reloads the epoch, which this or another server may have changed.
    func follow(_ storage: any Storage) async throws {
        let read = try await Self.read(storage)
        number.withLock { $0 = read }
    }

    /// Begins a new epoch with a random number, because a backup that is restored twice continues in two ways.
    static func beginAnother(in storage: any Storage) async throws {
        try await storage.put([try Document(kind: .shop, name: name, encoding: Int64.random(in: 1...Int64.max))])
    }

    private static func read(_ storage: any Storage) async throws -> Int64 {
        let document = try await storage.documents(.shop).first { $0.name == name }
        return try document?.decoded(as: Int64.self) ?? 0
    }
}
