import Synchronization
import TillCore

/// Keeps signed receipts, so that an unchanged receipt is not signed again. An entry is valid for one second, because
/// every receipt contains its creation date in seconds.
final class ReceiptCache: Sendable {
    /// The values that determine a receipt's content.
    struct Key: Hashable {
        let account: AccountID
        /// The account's version, which every change of the account increments.
        let version: Int64
        /// The receipt's payload without purchases. It contains the app, the device and the creation date.
        let frame: [UInt8]
        /// Whether the receipt contains only the latest transaction of each subscription.
        let isLatestOnly: Bool
    }

    private struct State {
        var receipts: [Key: [UInt8]] = [:]
        var bytes = 0
        var signed = 0
    }

    private let state = Mutex(State())
    /// The maximum size of all entries. If a new entry would exceed it, the cache is emptied first.
    private static let maxBytes = 8 << 20

    /// The number of receipts that were signed since the server started.
    var signed: Int { state.withLock { $0.signed } }

    func receipt(_ key: Key) -> [UInt8]? { state.withLock { $0.receipts[key] } }

    /// Removes all receipts.
    func clear() {
        state.withLock { state in
            state.receipts.removeAll()
            state.bytes = 0
        }
    }

    func keep(_ receipt: [UInt8], _ key: Key) {
        state.withLock { $0.signed += 1 }
        let size = receipt.count + key.frame.count
        guard size <= Self.maxBytes / 4 else { return }
        state.withLock { state in
            if state.bytes + size > Self.maxBytes {
                state.receipts.removeAll()
                state.bytes = 0
            }
            if state.receipts.updateValue(receipt, forKey: key) == nil { state.bytes += size }
        }
    }
}
