import TillCore
import TillStorage

/// Assigns counter values from blocks that were durably reserved before. Values that a crash leaves unused are lost,
/// never assigned twice.
actor IdentifierPool {
    private let storage: any Storage
    private var block: Range<Int64> = 0..<0
    private var reserved = ContinuousClock.now
    /// The size of a block: the store is written once for so many ids.
    private static let blockSize: Int64 = 8_192
    /// How long a block is used, so that its numbers show the day (`Retention.HighWaterMark`).
    static let blockLife = Duration.seconds(86_400)

    init(storage: any Storage) {
        self.storage = storage
    }

    /// Takes a number of consecutive ids.
    func take(_ count: Int64) async throws -> Identifiers {
        if reserved + Self.blockLife < .now { block = 0..<0 }
        while Int64(block.count) < count {
            let range = try await storage.reserveIdentifiers(max(count, Self.blockSize))
            // Another call may have reserved a block meanwhile; the larger rest is kept.
            if Int64(block.count) < count {
                block = range
                reserved = .now
            }
        }
        let taken = block.prefix(Int(count))
        block = block.dropFirst(Int(count))
        return Identifiers(reserved: taken.startIndex..<taken.endIndex)
    }

    /// Discards the present block, because its numbers may have been assigned elsewhere.
    func forget() { block = 0..<0 }

    /// Takes back the unused ids of the last command. If others have taken ids since, the rest is lost: within an
    /// account a larger id is always newer.
    func giveBack(_ rest: Identifiers) {
        let range = rest.reserved
        if range.upperBound == block.lowerBound { block = range.lowerBound..<block.upperBound }
    }
}
