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
/// try await reconciler.reconcileNotifications(since: lastWeek, until: now)
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
    ///   - window: the part of the notification history that is walked at a time. The position has the id of each
    ///     notification in it.
    ///   - overlap: how far a window reaches back into the one before, for notifications that the App Store records
    ///     late.
    public init(
        client: AppStoreServerClient,
        store: Store,
        window: Duration = .seconds(3_600),
        overlap: Duration = .seconds(600)
    ) {
        (self.client, self.store, self.window, self.overlap) = (client, store, window, overlap)
    }

    /// Hands over the notifications since the last run that were not handed over before.
    ///
    /// - Parameters:
    ///   - since: where the first run begins: less than 180 days ago, in the sandbox 30 days. Later runs begin where
    ///     the last run ended.
    ///   - until: where this run ends, usually now.
    /// - Returns: the number of notifications that were handed over.
    /// - Throws: an error of the client or of the store. The code is `startDateTooFarInPast` if the last run is so long
    ///   ago that the history no longer has everything since then.
    @discardableResult
    public func reconcileNotifications(since: Timestamp, until: Timestamp) async throws -> Int {
        var position = try await kept(.notifications, NotificationPosition(until: since))
        var count = 0
        while position.end != nil || position.until < until {
            let end = position.end ?? min(position.until + window, until)
            position.end = end
            do {
                count += try await walk(&position, to: end)
            } catch let error as AppStoreServerError where error.isLostToken && position.token != nil {
                position.token = nil
            }
        }
        return count
    }

    /// Walks the rest of a window.
    private func walk(_ position: inout NotificationPosition, to end: Timestamp) async throws -> Int {
        // The App Store refuses dates before its history, where the first run may begin.
        let start = max(position.until - overlap, position.first)
        let list = client.notifications(from: start, to: end, paginationToken: position.token)
        var pages = list.pages.makeAsyncIterator()
        var count = 0
        while let page = try await pages.next() {
            let items = position.unseen(page.notificationHistory)
            position.token = page.hasMore ? page.paginationToken : nil
            if !page.hasMore { position.finishWindow(at: end) }
            try await commit(.notifications, position, page.server, notifications: items)
            count += items.count
        }
        return count
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

/// A position in the notification history.
private struct NotificationPosition: Codable {
    /// Where the first run began.
    let first: Timestamp
    /// Everything before was handed over.
    var until: Timestamp
    /// The end of the window that is being walked; nil between two windows.
    var end: Timestamp?
    /// The next page of the window.
    var token: String?
    /// The notifications of this window so far.
    var seen: [String] = []
    /// The notifications of the previous window. This window repeats the last ones.
    var before: [String] = []

    init(until: Timestamp) { (first, self.until) = (until, until) }

    /// The notifications of a page that were not handed over before. All of the page are noted.
    mutating func unseen(_ items: [NotificationHistoryResponseItem]) -> [NotificationHistoryResponseItem] {
        var known = Set(seen)
        let older = Set(before)
        return items.filter { item in
            // A notification that cannot be read is handed over too.
            let id = (try? item.signedPayload.unverifiedPayload().notificationUUID) ?? item.signedPayload.text
            guard known.insert(id).inserted else { return false }
            seen.append(id)
            return !older.contains(id)
        }
    }

    mutating func finishWindow(at end: Timestamp) {
        (until, self.end, token) = (end, nil, nil)
        (before, seen) = (seen, [])
    }
}

/// A position in the transactions of a customer.
private struct CustomerPosition: Codable {
    var revision: String?
    var server: ServerAddress?
}
