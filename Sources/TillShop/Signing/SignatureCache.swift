import Synchronization
import TillCore
import TillSigning

/// Keeps signed transactions. A transaction is signed again after it changes, after the signing chain is rotated, and
/// when its signature is older than `signatureAge`. By default nothing is cached (docs/operating/settings.md).
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

    /// The two halves of the cache. When the young half is full, it replaces the old half.
    private struct State {
        var young: [TransactionID: Entry] = [:]
        var old: [TransactionID: Entry] = [:]
        var signed = 0
    }

    private let state = Mutex(State())
    /// The maximum number of entries in one half. An entry has about 2 kB, so the cache has at most 64 MiB.
    private static let half = 16_384

    /// The number of transactions that were signed for the cache since the server started.
    var signed: Int { state.withLock { $0.signed } }

    /// The cached signed transaction, if the transaction is unchanged and the chain signed it between two instants.
    func text(of row: Transaction, by chainID: String, from earliest: Timestamp, to latest: Timestamp) -> SignedText? {
        state.withLock { state in
            guard let entry = state.young[row.id] ?? state.old[row.id] else { return nil }
            guard
                entry.signedDate >= earliest, entry.signedDate <= latest, entry.chainID == chainID, entry.row == row
            else { return nil }
            if state.young[row.id] == nil { Self.keep(entry, &state) }
            return entry.text
        }
    }

    func keep(_ text: SignedText, of row: Transaction, by chainID: String, at signedDate: Timestamp) {
        state.withLock { state in
            state.signed += 1
            Self.keep(Entry(row: row, chainID: chainID, signedDate: signedDate, text: text), &state)
        }
    }

    /// Removes all signatures.
    func clear() {
        state.withLock { state in
            state.young = [:]
            state.old = [:]
        }
    }

    private static func keep(_ entry: Entry, _ state: inout State) {
        if state.young.count >= half {
            state.old = state.young
            state.young = [:]
        }
        state.young[entry.row.id] = entry
    }
}
