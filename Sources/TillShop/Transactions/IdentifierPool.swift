import TillCore
import TillStorage

/// Assigns counter values for identifiers from blocks, which are reserved in the database first. If a server crashes,
/// the rest of its block is lost, so no value is ever assigned twice.
actor IdentifierPool {
    private let storage: any Storage
    private var block: Range<Int64> = 0..<0
    private var reserved = ContinuousClock.now
    /// The number of values in a block. Each block costs one write to the database.
    private static let blockSize: Int64 = 8_192
    /// The maximum time for which a block is used. It limits by how much numbers of different nodes can differ in age
    /// (`Retention.HighWaterMark`).
    static let blockLife = Duration.seconds(86_400)

    init(storage: any Storage) {
        self.storage = storage
    }

    /// Takes a number of consecutive values.
    func take(_ count: Int64) async throws -> Identifiers {
        if reserved + Self.blockLife < .now { block = 0..<0 }
        while Int64(block.count) < count {
            let range = try await storage.reserveIdentifiers(max(count, Self.blockSize))
            // During the await another call may have reserved a block. If that block has enough values, it is kept.
            if Int64(block.count) < count {
                block = range
                reserved = .now
            }
        }
        let taken = block.prefix(Int(count))
        block = block.dropFirst(Int(count))
        return Identifiers(reserved: taken.startIndex..<taken.endIndex)
    }

    /// Discards the current block, because its values may have been assigned elsewhere.
    func forget() { block = 0..<0 }

    /// Takes back unused values of the last command. If another command has taken values since, the unused values are
    /// lost, because within an account a larger identifier must always be newer.
    func giveBack(_ rest: Identifiers) {
        let range = rest.reserved
        if range.upperBound == block.lowerBound { block = range.lowerBound..<block.upperBound }
    }
}
