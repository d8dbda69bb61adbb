import Synchronization
import TillCore
import TillSigning

/// Signed transactions. A transaction is signed again after a change, after a rotation of the chain, and when the
/// signature is older than the setting allows; by default every answer is signed (docs/operating/settings.md).
final class SignatureCache: Sendable {
    private final class Entry: Sendable {
        let row: Transaction
        let chainID: String
        let signedDate: Timestamp
        let text: SignedText

        init(row: Transaction, chainID: String, signedDate: Timestamp, text: SignedText) {
            self.row = row
            self.chainID = chainID
            self.signedDate = signedDate
            self.text = text
        }
    }

    private struct State {
        /// About 2 kB each, so 64 MiB in all.
        var entries = TwoGenerationCache<TransactionID, Entry>(limit: 32_768)
        var signed = 0
    }

    private let state = Mutex(State())

    /// How many transactions were signed since the start, without those from the cache.
    var signed: Int { state.withLock { $0.signed } }

    /// The signed transaction, if it was signed between two instants.
    func text(of row: Transaction, by chainID: String, from earliest: Timestamp, to latest: Timestamp) -> SignedText? {
        state.withLock { state in
            guard
                let entry = state.entries.value(of: row.id), entry.signedDate >= earliest, entry.signedDate <= latest,
                entry.chainID == chainID, entry.row == row
            else { return nil }
            return entry.text
        }
    }

    func keep(_ text: SignedText, of row: Transaction, by chainID: String, at signedDate: Timestamp) {
        state.withLock { state in
            state.signed += 1
            state.entries.keep(Entry(row: row, chainID: chainID, signedDate: signedDate, text: text), of: row.id)
        }
    }

    /// Removes all signatures.
    func clear() { state.withLock { $0.entries.removeAll() } }
}
