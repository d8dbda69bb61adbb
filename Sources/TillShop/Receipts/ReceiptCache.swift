import Synchronization
import TillCore
import TillSigning

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
        var receipts = TwoGenerationCache<Key, [UInt8]>(limit: 8 << 20)
        var signed = 0
    }

    private let state = Mutex(State())

    /// The number of receipts that were signed since the server started.
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
