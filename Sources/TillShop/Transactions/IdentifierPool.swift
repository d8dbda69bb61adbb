import TillCore
import TillStorage

/// Hands out counter values from blocks that were reserved durably before their first use. What a crash leaves unused
/// is lost, never used twice.
actor IdentifierPool {
    private let storage: any Storage
    private var block: Range<Int64> = 0..<0
    private var reserved = ContinuousClock.now
    /// A block's size: one more write to the store for each so many ids.
    private static let blockSize: Int64 = 8_192
    /// How long a block is used, so that its numbers say what day it is (`Retention.HighWaterMark`).
    static let blockLife = Duration.seconds(86_400)

    init(storage: any Storage) {
        self.storage = storage
    }

    /// So many ids in a row.
    func take(_ count: Int64) async throws -> Identifiers {
        if reserved + Self.blockLife < .now { block = 0..<0 }
        while Int64(block.count) < count {
            let range = try await storage.reserveIdentifiers(max(count, Self.blockSize))
            // Another call may have brought a block while this one waited; the larger rest is kept.
            if Int64(block.count) < count {
                block = range
                reserved = .now
            }
        }
        let taken = block.prefix(Int(count))
        block = block.dropFirst(Int(count))
        return Identifiers(reserved: taken.startIndex..<taken.endIndex)
    }

    /// Lets go of the block that is at hand: others may have been given what is in it.
    func forget() { block = 0..<0 }

    /// Takes back what a command was given last and did not use. What others have gone beyond is lost: an id is never
    /// younger than a larger one of the same account.
    func giveBack(_ rest: Identifiers) {
        let range = rest.reserved
        if range.upperBound == block.lowerBound { block = range.lowerBound..<block.upperBound }
    }
}
