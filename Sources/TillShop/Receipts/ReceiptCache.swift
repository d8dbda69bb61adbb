import Synchronization
import TillCore

/// Signed receipts, so that unchanged receipts are not signed again. A receipt's date is in seconds, so an entry is
/// valid for one second.
final class ReceiptCache: Sendable {
    /// Everything that a receipt depends on.
    struct Key: Hashable {
        let account: AccountID
        /// Incremented by every change of the account.
        let version: Int64
        /// The payload without its purchases: the app, the device and the second.
        let frame: [UInt8]
        /// Whether it contains only the latest period of each subscription.
        let isLatestOnly: Bool
    }

    private struct State {
        var receipts: [Key: [UInt8]] = [:]
        var bytes = 0
        var signed = 0
    }

    private let state = Mutex(State())
    /// Above this size the cache is emptied.
    private static let maxBytes = 8 << 20

    /// How many receipts were signed since the start.
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
