import Synchronization
import TillStorage

/// To which course of events a client's cursor belongs. A restore takes changes back, and their numbers with them: a
/// place that was noted before names other rows afterwards. So every replacement of the rows begins another restore
/// epoch, and a cursor of an earlier one is answered from the beginning.
final class RestoreEpoch: Sendable {
    private let number: Mutex<Int64>

    /// The document that says which one this is; snapshots leave it alone.
    private static let name = "lineage"

    /// Reads which one the store is in; 0 is the first.
    init(storage: any Storage) async throws { number = Mutex(try await Self.read(storage)) }

    /// The one of which this server knows.
    var current: Int64 { number.withLock { $0 } }

    /// Learns of what was begun, here or by another server.
    func follow(_ storage: any Storage) async throws {
        let read = try await Self.read(storage)
        number.withLock { $0 = read }
    }

    /// Begins one that no store has been in: what a backup was restored to twice goes on in two ways.
    static func beginAnother(in storage: any Storage) async throws {
        try await storage.put([try Document(kind: .shop, name: name, encoding: Int64.random(in: 1...Int64.max))])
    }

    private static func read(_ storage: any Storage) async throws -> Int64 {
        let document = try await storage.documents(.shop).first { $0.name == name }
        return try document?.decoded(as: Int64.self) ?? 0
    }
}
