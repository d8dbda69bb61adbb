import Synchronization
import TillCore
import TillSigning

/// A signed transaction, and when it was signed.
struct DatedText: Sendable {
    let text: SignedText
    let signedDate: Timestamp
}

/// Keeps signed transactions. A transaction is signed again after it changes, after the signing chain is rotated, and
/// when its signature is older than `signatureAge`. By default nothing is cached (docs/operating/settings.md).
final class SignatureCache: Sendable {
    /// A class, because a copy of the value would copy all parts of the transaction while other threads wait.
    private final class Entry: Sendable {
        let row: Transaction
        let chainID: String
        let signed: DatedText

        init(_ signed: DatedText, of row: Transaction, by chainID: String) {
            self.row = row
            self.chainID = chainID
            self.signed = signed
        }
    }

    /// The two halves of the cache. When the young half is full, it replaces the old half.
    private struct State {
        /// About 2 kB each, so 64 MiB in all.
        var entries = TwoGenerationCache<TransactionID, Entry>(limit: 32_768)
        var signed = 0
    }

    private let state = Mutex(State())

    /// The number of transactions that were signed for the cache since the server started.
    var signed: Int { state.withLock { $0.signed } }

    /// The cached signed transactions, in the order of `rows`. A text is nil if the transaction has changed, or if the
    /// chain signed it after `now` or more than `maxAge` milliseconds before.
    func texts(of rows: [Transaction], by chainID: String, at now: Timestamp, maxAge: Int64) -> [DatedText?] {
        let entries = state.withLock { state in rows.map { state.entries.value(of: $0.id) } }
        return rows.indices.map { place in
            let latest = max(now, rows[place].modifiedDate)
            guard
                let entry = entries[place], entry.signed.signedDate >= latest.advanced(milliseconds: -maxAge),
                entry.signed.signedDate <= latest,
                entry.chainID == chainID, entry.row == rows[place]
            else { return nil }
            return entry.signed
        }
    }

    func keep(_ signed: DatedText, of row: Transaction, by chainID: String) {
        let entry = Entry(signed, of: row, by: chainID)
        state.withLock { state in
            state.signed += 1
            state.entries.keep(entry, of: row.id)
        }
    }

    /// Removes all signatures.
    func clear() { state.withLock { $0.entries.removeAll() } }
}
