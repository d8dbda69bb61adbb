import Synchronization
import TillCore

/// Receipts as they were last signed: nothing is signed again while nothing has changed. A receipt is dated to the
/// second, so an entry lives no longer than that.
final class ReceiptCache: Sendable {
    /// What a receipt hangs on.
    struct Key: Hashable {
        let account: AccountID
        /// Every change of the account raises it.
        let version: Int64
        /// The payload without its purchases: the app, the device and the second.
        let frame: [UInt8]
        /// Whether only the latest period of each subscription is in it.
        let isLatestOnly: Bool
    }

    private struct State {
        var receipts: [Key: [UInt8]] = [:]
        var bytes = 0
        var signed = 0
    }

    private let state = Mutex(State())
    /// Beyond so many bytes all are forgotten.
    private static let mostBytes = 8 << 20

    /// How many receipts were signed since the start.
    var signed: Int { state.withLock { $0.signed } }

    func receipt(_ key: Key) -> [UInt8]? { state.withLock { $0.receipts[key] } }

    /// Forgets all of them.
    func clear() {
        state.withLock { state in
            state.receipts.removeAll()
            state.bytes = 0
        }
    }

    func keep(_ receipt: [UInt8], _ key: Key) {
        state.withLock { $0.signed += 1 }
        let size = receipt.count + key.frame.count
        guard size <= Self.mostBytes / 4 else { return }
        state.withLock { state in
            if state.bytes + size > Self.mostBytes {
                state.receipts.removeAll()
                state.bytes = 0
            }
            if state.receipts.updateValue(receipt, forKey: key) == nil { state.bytes += size }
        }
    }
}
