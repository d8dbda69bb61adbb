import Synchronization
import TillCore
import TillSigning

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
        var receipts = TwoGenerationCache<Key, [UInt8]>(limit: 8 << 20)
        var signed = 0
    }

    private let state = Mutex(State())

    /// How many receipts were signed since the start.
    var signed: Int { state.withLock { $0.signed } }

    func receipt(_ key: Key) -> [UInt8]? { state.withLock { $0.receipts.value(of: key) } }

    /// Removes all receipts.
    func clear() { state.withLock { $0.receipts.removeAll() } }

    func keep(_ receipt: [UInt8], _ key: Key) {
        state.withLock { state in
            state.signed += 1
            state.receipts.keep(receipt, of: key, size: receipt.count + key.frame.count)
        }
    }
}
