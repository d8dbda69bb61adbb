import Foundation
import TillJSON

/// Finds what a backend missed: notifications that did not arrive, and transactions of customers that are new or
/// changed since the last time.
///
/// ```swift
/// let store = try FileReconcilerStore(path: "reconciler.json") { batch in
///     for item in batch.notifications { try await handle(item.signedPayload) }
/// }
/// let reconciler = Reconciler(client: client, store: store)
/// try await reconciler.reconcileNotifications(since: lastWeek)
/// ```
///
/// Each page is one batch of the store. A run that fails or is killed goes on after the last batch that was stored.
/// Only one run at a time may work on a source.
public struct Reconciler<Store: ReconcilerStore>: Sendable {
    private let client: AppStoreServerClient
    private let store: Store
    private let window: Duration
    private let overlap: Duration

    /// A reconciler.
    ///
    /// - Parameters:
    ///   - client: a client of one environment. A client with `.automatic` finds the notifications of production only.
    ///   - store: stores the positions.
    ///   - window: the part of the notification history that is walked at a time, with at least one request. The
    ///     position has the id of each notification in it: choose less for more than 10,000 notifications a day.
    ///   - overlap: how far a window reaches back into the one before, for notifications that the App Store records
    ///     late.
    public init(
        client: AppStoreServerClient,
        store: Store,
        window: Duration = .seconds(86_400),
        overlap: Duration = .seconds(600)
    ) {
        (self.client, self.store, self.window, self.overlap) = (client, store, window, overlap)
    }

    /// Hands over the notifications since the last run that were not handed over before.
    ///
    /// The stored position is never later than the time of the server, so that a host whose clock is ahead loses
    /// nothing. On a Till whose clocks were advanced, it follows the dates of the notifications if `until` is given. If
    /// a clock of Till is behind the real time by more than the overlap, later runs do not find what that clock dates.
    ///
    /// - Parameters:
    ///   - since: where the first run begins: less than 180 days ago, in the sandbox 30 days. Later runs begin where
    ///     the last run ended.
    ///   - until: where this run ends; nil for everything that the server has, also notifications that are dated in the
    ///     future because a clock of Till was advanced.
    /// - Returns: the number of notifications that were handed over.
    /// - Throws: an error of the client or of the store; `EndBeforePosition` if `until` is earlier than the overlap
    ///   before the end of the last run. The code is `startDateTooFarInPast` if the last run is so long ago that the
    ///   history no longer has everything since then.
    @discardableResult
    public func reconcileNotifications(since: Timestamp, until: Timestamp? = nil) async throws -> Int {
        var position = try await kept(.notifications, NotificationPosition(until: since))
        let target = until ?? NotificationHistoryRequest.noEnd
        let start = position.start(overlap: overlap)
        guard target >= start else { throw EndBeforePosition(until: target, position: position.until) }
        guard target > start else { return 0 }
        // Where windows would no longer be full. A local clock that is wrong changes only the number of windows.
        var now = client.localTime
        var count = 0
        var isLast = false
        // The end of the window that was begun again. A server that refuses its own tokens must not cause endless work.
        var repeated: Timestamp?
        while !isLast {
            let next = position.until + window
            let end = position.end ?? (next < min(now, target) ? next : target)
            position.end = end
            do {
                let walked = try await walk(&position, to: end, of: until)
                count += walked.count
                now = position.until < end ? position.until : walked.serverTime ?? now
                isLast = end >= target
            } catch let error as AppStoreServerError
                where error.isLostToken && position.token != nil && repeated != end
            {
                position.token = nil
                repeated = end
            }
        }
        return count
    }

    /// Walks the rest of a window.
    private func walk(
        _ position: inout NotificationPosition,
        to end: Timestamp,
        of target: Timestamp?
    ) async throws -> (count: Int, serverTime: Timestamp?) {
        let start = position.start(overlap: overlap)
        let list = client.notifications(from: start, to: end, paginationToken: position.token)
        var pages = list.pages.makeAsyncIterator()
        var (count, serverTime): (Int, Timestamp?) = (0, nil)
        while let page = try await pages.next() {
            let items = position.unseen(page)
            serverTime = page.serverTime
            if !page.hasMore { position.finishWindow(at: end, of: target) }
            try await commit(.notifications, position, page.server, notifications: items)
            count += items.count
        }
        return (count, serverTime)
    }

    /// Hands over the transactions of a customer that are new or changed since the last run; all of them in the first.
    ///
    /// - Parameter customer: any transaction id of the customer; the same id in each run.
    /// - Returns: the number of transactions that were handed over.
    /// - Throws: an error of the client or of the store.
    @discardableResult
    public func reconcileTransactions(of customer: String) async throws -> Int {
        let position = try await kept(.customer(customer), CustomerPosition())
        let client = position.server.map { self.client.at($0) } ?? client
        var pages = client.transactions(of: customer, from: position.revision).pages.makeAsyncIterator()
        var count = 0
        while let page = try await pages.next() {
            let next = CustomerPosition(revision: page.revision, server: page.server)
            try await commit(.customer(customer), next, page.server, transactions: page.signedTransactions)
            count += page.signedTransactions.count
        }
        return count
    }

    // MARK: Positions

    private func kept<Position: Codable>(_ source: ReconcilerSource, _ first: Position) async throws -> Position {
        guard let text = try await store.position(of: source) else { return first }
        return try RawObject(utf8: Array(text.utf8)).tree.decode(Position.self)
    }

    private func commit(
        _ source: ReconcilerSource,
        _ position: some Codable,
        _ server: ServerAddress,
        notifications: [NotificationHistoryResponseItem] = [],
        transactions: [SignedTransaction] = []
    ) async throws {
        try await store.commit(
            ReconcilerBatch(
                source: source,
                notifications: notifications,
                transactions: transactions,
                server: server,
                position: String(decoding: try JSONTree(encoding: position).compact, as: UTF8.self)
            )
        )
    }
}

extension AppStoreServerError {
    fileprivate var isLostToken: Bool { code == .paginationTokenExpired || code == .invalidPaginationToken }
}

/// A position in the transactions of a customer.
private struct CustomerPosition: Codable {
    var revision: String?
    var server: ServerAddress?
}
