import Synchronization
import TillCore
import TillSigning
import TillStorage

/// The pages of histories that were read recently. As long as an account does not change, a request for a kept page
/// reads one row, the account's stamp, and not the twenty rows of the page.
final class HistoryPages: Sendable {
    private struct Key: Hashable {
        let query: HistoryQuery
        let stamp: AccountStamp
        /// The epoch of the app on this server. A restore by this server begins a new one.
        let epoch: AsyncReadWriteLock.Epoch
        /// The restore epoch of the page's revision.
        let restoreEpoch: Int64
    }

    /// A page has about 40 kB with its signatures, so 40 MiB in all.
    private let pages = Mutex(TwoGenerationCache<Key, KeptHistoryPage>(limit: 1_024))

    /// The kept page; reads it if there is none.
    ///
    /// - Parameters:
    ///   - stamp: the stamp of the account, which was read before. So a page is never older than its stamp.
    ///   - epoch: the epoch when the stamp was read; nil if data was being replaced then.
    func page(
        _ query: HistoryQuery,
        _ stamp: AccountStamp,
        _ epoch: AsyncReadWriteLock.Epoch?,
        restoreEpoch: Int64,
        read: () async throws -> HistoryPage
    ) async throws -> KeptHistoryPage {
        guard let epoch else { return KeptHistoryPage(try await read(), of: query) }
        let key = Key(query: query, stamp: stamp, epoch: epoch, restoreEpoch: restoreEpoch)
        if let kept = pages.withLock({ $0.value(of: key) }) { return kept }
        let page = KeptHistoryPage(try await read(), of: query)
        pages.withLock { $0.keep(page, of: key) }
        return page
    }
}

/// A page of a history, with what was made of it for answers.
package final class KeptHistoryPage: Sendable {
    private struct Signed {
        let texts: [SignedText]
        let chainID: String
        let dates: ClosedRange<Timestamp>
    }

    private struct Prepared {
        let payloads: [PreparedPayload]
        let chainID: String
    }

    private struct State {
        var signed: Signed?
        var prepared: Prepared?
        var revision: String?
    }

    /// The query that the page answers.
    package let query: HistoryQuery
    /// The page as it was read.
    package let content: HistoryPage
    private let state = Mutex(State())

    /// A page that was read.
    package init(_ content: HistoryPage, of query: HistoryQuery) {
        self.query = query
        self.content = content
    }

    /// The change number at which the next page begins. The last page ends at the newest change: a client that uses its
    /// revision later gets the later changes only.
    package var end: Int64 {
        let last = content.rows.last?.change
        if content.hasMore { return last ?? 0 }
        return query.isAscending ? max(content.head, query.position ?? 0) : last ?? query.position ?? 0
    }

    /// The `revision` of the page; seals the cursor if there is none yet. It is the same for every request of the page.
    package func revision(_ seal: () -> String) -> String {
        if let revision = state.withLock({ $0.revision }) { return revision }
        let revision = seal()
        state.withLock { $0.revision = revision }
        return revision
    }

    /// The signed transactions; nil if the chain signed one of them after `now` or more than `maxAge` milliseconds
    /// before.
    func texts(by chainID: String, at now: Timestamp, maxAge: Int64) -> [SignedText]? {
        guard
            let signed = state.withLock({ $0.signed }), signed.chainID == chainID,
            signed.dates.lowerBound >= now.advanced(milliseconds: -maxAge), signed.dates.upperBound <= now
        else { return nil }
        return signed.texts
    }

    /// The payloads of the rows, prepared for a chain.
    func payloads(by chain: SigningChain, _ prepare: (Transaction) -> PreparedPayload) -> [PreparedPayload] {
        if let prepared = state.withLock({ $0.prepared }), prepared.chainID == chain.id { return prepared.payloads }
        let payloads = content.rows.map(prepare)
        state.withLock { $0.prepared = Prepared(payloads: payloads, chainID: chain.id) }
        return payloads
    }

    func keep(_ texts: [DatedText], by chainID: String) {
        guard let first = texts.map(\.signedDate).min(), let last = texts.map(\.signedDate).max() else { return }
        let signed = Signed(texts: texts.map(\.text), chainID: chainID, dates: first...last)
        state.withLock { $0.signed = signed }
    }
}

extension Shop {
    /// A page of a history. It is not read again as long as its account does not change.
    ///
    /// - Parameters:
    ///   - id: a transaction of the account, in an app's environment.
    ///   - restoreEpoch: the restore epoch of the page's revision, read before.
    ///   - query: the query for the account of the transaction.
    /// - Returns: the page; nil if the app's environment has no such transaction.
    package func historyPage(
        of id: TransactionID,
        in scope: AccountScope,
        restoreEpoch: Int64,
        _ query: (AccountID) throws -> HistoryQuery
    ) async throws -> KeptHistoryPage? {
        let epoch = gate.steadyEpoch(of: scope.app)
        guard let stamp = try await storage.stamp(of: id, in: scope) else { return nil }
        let query = try query(stamp.account)
        return try await keys.historyPages.page(query, stamp, epoch, restoreEpoch: restoreEpoch) {
            try await storage.history(query)
        }
    }
}
