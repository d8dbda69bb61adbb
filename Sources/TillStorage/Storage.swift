import TillCore

/// The interface of a storage engine: the embedded SQLite, or PostgreSQL for several machines.
///
/// An engine contains no business rules. It writes each change completely or not at all, reads only committed data, and
/// returns from a write only when the data is durable. Every engine passes the same contract tests.
package protocol Storage: Sendable {
    // MARK: Configuration

    /// All documents of a kind, ordered by name.
    func documents(_ kind: DocumentKind) async throws -> [Document]

    /// Writes documents in one transaction. They replace documents of the same kind and name.
    func put(_ documents: [Document]) async throws

    /// Writes a document, unless a document with the same kind and name exists.
    ///
    /// - Returns: The document that is now stored.
    func keep(_ document: Document) async throws -> Document

    /// Removes a document. Does nothing if the document does not exist.
    func removeDocument(_ kind: DocumentKind, name: String) async throws

    // MARK: Identifiers

    /// Reserves counter values that were never used before and will never be used again, even after a crash. The new
    /// high-water mark is durable before the engine returns the range.
    ///
    /// - Throws: `DamagedRow` if not enough values remain, or if the high-water mark cannot be read.
    func reserveIdentifiers(_ count: Int64) async throws -> Range<Int64>

    /// The counter values in a range with which Till would create the identifier of another store again.
    func reservedCounters(in range: Range<Int64>) async throws -> [Int64]

    /// The lowest counter value that was never reserved.
    func identifierHighWater() async throws -> Int64

    // MARK: The ledger

    /// Commits a batch of changes in one transaction. Each change has its own savepoint, so a failed change writes
    /// nothing and does not affect the others. The results are in the order of the changes. If the whole transaction
    /// fails, every result is `CommitFailure.engine`, `.temporary` or `.diskFull`.
    func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>]

    /// The account with this number; nil if there is none.
    ///
    /// - Throws: `DamagedAccount` if its state cannot be read or contradicts its columns.
    func account(_ id: AccountID) async throws -> Account?

    /// A customer's account in an app; nil if there is none.
    ///
    /// - Throws: `DamagedAccount` if its state cannot be read or contradicts its columns.
    func account(of name: CustomerName) async throws -> Account?

    /// The accounts of an app's environment (nil for all accounts) whose numbers are higher than `after`, in ascending
    /// order. Each account is read separately: the list also contains damaged accounts, and they do not hide the
    /// others.
    func storedAccounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [StoredAccount]

    /// The account of a transaction and its present state; nil if the transaction is not in this app and environment.
    func stamp(of id: TransactionID, in scope: AccountScope) async throws -> AccountStamp?

    /// The transaction with this id, in any app and environment; nil if there is none.
    func transaction(_ id: TransactionID) async throws -> Transaction?

    /// All transactions of an order, in ascending order of their ids.
    func transactions(in order: OrderID) async throws -> [Transaction]

    /// The identifier of another store in an app's environment; nil if there is none.
    func foreignIdentifier(_ kind: ForeignIdentifier.Kind, _ text: String, in scope: AccountScope) async throws
        -> ForeignIdentifier?

    /// One page of an account's history, and the account's last change number at the same moment.
    func history(_ query: HistoryQuery) async throws -> HistoryPage

    /// The offer codes among these that have reached their limits, in one environment of an app.
    func usedUp(_ codes: [CodeRedemption]) async throws -> [CodeRedemption]

    /// The refunded transactions of an account whose refund numbers are higher than `refundNumber`, in ascending order.
    func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction]

    /// The most recent refunds of an account, in ascending order of their refund numbers.
    func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction]

    // MARK: Due events and deliveries

    /// The accounts on a clock whose next event is due at or before an instant, earliest first.
    ///
    /// - Parameter part: The partitions of the accounts; nil for all partitions.
    func dueAccounts(on clock: ClockName, until: Timestamp, in part: Range<Int64>?, limit: Int) async throws
        -> [DueAccount]

    /// The stored instant of an account's next event; nil if there is none.
    func nextDue(of id: AccountID) async throws -> Timestamp?

    /// The deliveries to an endpoint that are due on a clock at or before an instant, earliest first. Deliveries of the
    /// same instant are in the order of their creation.
    ///
    /// - Parameter part: The partitions of the notifications; nil for all partitions.
    func dueDeliveries(
        to endpoint: String,
        on clock: ClockName,
        until: Timestamp,
        in part: DeliveryPart?,
        limit: Int
    ) async throws -> DueDeliveries

    // MARK: Notifications

    /// Stores delivery attempts: the due date, the attempts, and whether the delivery succeeded. All are written in one
    /// transaction.
    ///
    /// - Parameter epoch: The epoch after which the data of the deliveries' apps must not have been replaced; nil for
    ///   any epoch (`ConfigurationVersions`).
    func record(_ deliveries: [Delivery], epoch: Int64?) async throws

    /// Makes the deliveries of a notification due again. Changes nothing else, because an attempt may be stored at the
    /// same time. An attempt that began before does not end the new delivery.
    func redeliver(_ id: NotificationID, to endpoints: [String], due: Timestamp) async throws

    /// The notification with this number; nil if there is none.
    func notification(_ id: NotificationID) async throws -> OutboxEntry?

    /// The notification with this UUID in an app's environment; nil if there is none.
    func notification(uuid: String, in scope: AccountScope) async throws -> OutboxEntry?

    /// The notifications with these numbers, in this order. Those that do not exist are left out.
    func notifications(numbered ids: [NotificationID]) async throws -> [OutboxEntry]

    /// The notifications that a query finds, ordered by their signed dates.
    func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry]

    /// All deliveries of several notifications, by notification and then ordered by endpoint. The result has no entry
    /// for a notification without deliveries.
    func deliveries(of ids: [NotificationID]) async throws -> [NotificationID: [Delivery]]

    /// The number of pending deliveries on a clock that are due at or before an instant; nil for all pending
    /// deliveries.
    func pendingDeliveries(on clock: ClockName, until: Timestamp?) async throws -> Int

    /// The pending deliveries of all clocks. A clock without pending deliveries is left out.
    func pendingDeliveriesByClock() async throws -> [PendingDeliveries]

    /// All endpoints that have pending deliveries.
    func pendingEndpoints() async throws -> [EndpointName]

    /// Discards the pending deliveries to an endpoint, because the operator removed the endpoint.
    func dropDeliveries(to endpoint: String, in scope: AccountScope) async throws

    // MARK: The request log

    /// Adds entries, and deletes the oldest entries so that at most `keeping` remain.
    func appendRequestLog(_ entries: [RequestLogEntry], keeping: Int) async throws

    /// The entry with this request id; nil if there is none.
    func requestLogEntry(_ id: String) async throws -> RequestLogEntry?

    /// The most recent entries with numbers lower than `number`, newest first.
    func requestLog(before number: Int64, limit: Int) async throws -> [NumberedEntry]

    /// The entries with numbers higher than `number`, oldest first.
    func requestLog(after number: Int64, limit: Int) async throws -> [NumberedEntry]

    // MARK: The audit log

    /// The newest records that a query finds, newest first.
    func auditRecords(_ query: AuditQuery) async throws -> [NumberedAuditRecord]

    /// The records after a position (nil for the first records), oldest first.
    func auditRecords(after position: AuditPosition?, limit: Int) async throws -> [NumberedAuditRecord]

    /// Deletes the oldest records before a date, and returns their number.
    func pruneAudit(before: Timestamp, limit: Int) async throws -> Int

    // MARK: Erasing

    /// The amount of data that belongs to an account.
    func belongings(of account: AccountID) async throws -> Belongings

    /// The names of the snapshots that contain this customer of an app's environment.
    func snapshots(holding customer: String, in scope: AccountScope) async throws -> [String]

    // MARK: Retention

    /// One page of notifications that are old enough to delete.
    func prunable(_ query: PruneQuery) async throws -> [Prunable]

    /// Deletes notifications and their deliveries in one transaction. If a notification has a pending delivery at that
    /// moment, the notification and all its deliveries are kept.
    func prune(_ ids: [NotificationID]) async throws

    // MARK: Search

    /// The accounts with a customer's name in these environments of apps. Damaged accounts are omitted.
    func accounts(named customer: String, in scopes: [AccountScope]) async throws -> [Account]

    /// The customers of an app's environment whose names begin with a text. The order is that of the partitions and,
    /// within each partition, of the names.
    ///
    /// - Parameter position: The customer after whom the page begins; nil for the first page.
    func customers(_ prefix: String, in scope: AccountScope, after position: FoundCustomer?, limit: Int) async throws
        -> [FoundCustomer]

    /// The accounts that have transactions with an app account token, in ascending order of their numbers.
    func owners(ofToken token: String, after: AccountID?, limit: Int) async throws -> [AccountID]

    /// The notification with this UUID, in any app and environment; nil if there is none.
    func notification(uuid: String) async throws -> OutboxEntry?

    /// The identifiers of other stores with this text in these environments of apps.
    func foreignIdentifiers(_ text: String, in scopes: [AccountScope]) async throws -> [ForeignIdentifier]

    // MARK: Comparison

    /// The accounts of an app's environment in a snapshot, as `storedAccounts(of:after:limit:)` returns the present
    /// ones.
    func storedAccounts(of scope: AccountScope, in snapshot: String, after: AccountID?, limit: Int) async throws
        -> [StoredAccount]

    /// The most recently changed transactions of several accounts: at most `limit` of each account, by account, with
    /// the latest change first.
    ///
    /// - Parameter snapshot: The snapshot; nil for the present data.
    func latestTransactions(of accounts: [AccountID], in snapshot: String?, limit: Int) async throws
        -> [AccountID: [Transaction]]

    /// The notifications of an app's environment, ordered by their signed dates and then by their numbers.
    ///
    /// - Parameters:
    ///   - snapshot: The snapshot; nil for the present data.
    ///   - position: The position after which the page begins; nil for the first page.
    func notificationHeads(
        of scope: AccountScope,
        in snapshot: String?,
        after position: NotificationHead.Position?,
        limit: Int
    ) async throws -> [NotificationHead]

    // MARK: Snapshots

    /// Copies an app, or the whole server, as of one moment. Replaces a snapshot of the same name.
    ///
    /// - Returns: The snapshot with the numbers of its rows.
    func save(_ snapshot: Snapshot) async throws -> Snapshot

    /// All snapshots, ordered by name.
    func snapshots() async throws -> [Snapshot]

    /// Restores a snapshot in one transaction. This erases the app, or the whole server, including its documents, and
    /// writes the rows of the snapshot. Identifiers that were used since the snapshot are not used again.
    ///
    /// - Throws: `SnapshotFailure` if the snapshot cannot be restored.
    func restore(snapshot name: String) async throws

    /// Removes a snapshot. Does nothing if the snapshot does not exist.
    func remove(snapshot name: String) async throws

    /// Erases the ledger, notifications and deliveries of an app (nil for all apps), and its documents of these kinds,
    /// in one transaction.
    func erase(app: String?, documents kinds: Set<DocumentKind>) async throws

    /// The rows of a table in a snapshot whose positions are higher than `place`, in ascending order.
    func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) async throws -> [PlacedRow]

    /// Appends rows to a snapshot. If the snapshot does not exist, creates it for its app, or for the whole server.
    func add(_ rows: [TableRow], of table: ShopTable, to snapshot: Snapshot) async throws

    /// Raises the high-water mark of the identifiers to at least this value, because imported rows have numbers below
    /// it.
    func reserveIdentifiers(below highWater: Int64) async throws

    // MARK: Transfer between engines

    /// The columns of a table in this database, in order. Some are missing if an older version of Till created the
    /// tables.
    func columns(of table: ShopTable) -> [ShopTable.Column]

    /// The rows of a table that follow a given row (nil for the first rows). The rows of one partition, and the rows of
    /// a table without partitions, are ordered by key. The engine determines the order of the partitions. A cell may
    /// have another type than its column (`TableRow.misfit`).
    func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow]

    /// Adds all of the rows to a table, or none of them. The rows must not exist yet.
    func add(_ rows: [TableRow], to table: ShopTable) async throws

    // MARK: Maintenance

    /// Checks the engine's own data for damaged files, rows without an account and wrong counts. Each result is one
    /// sentence; the list is empty if nothing is wrong.
    func examine() async throws -> [String]

    /// Writes a complete copy to a path while the server runs, if the database is a file. The path must not exist.
    ///
    /// - Returns: False if the database is not a file. In that case use `readWhole`.
    @discardableResult
    func backup(to path: String) async throws -> Bool

    /// Reads the whole database as of one moment, while the server runs. The next part is read after `take` has
    /// processed the current part.
    ///
    /// - Throws: `DamagedRow` if a cell does not have the type of its column; the error of `take`.
    func readWhole(_ take: @escaping @Sendable (StoredPart) async throws -> Void) async throws

    /// Throws an error if the engine does not respond.
    func ping() async throws

    /// The size of the database.
    func size() async throws -> StoreSize

    /// The connections of the engine; nil if it has no pool.
    var connections: ConnectionUse? { get }

    /// Stops all work, and closes the files or connections.
    func close() async throws
}

extension Storage {
    /// The account of a transaction; nil if the transaction is not in this app and environment.
    package func owner(of id: TransactionID, in scope: AccountScope) async throws -> AccountID? {
        try await stamp(of: id, in: scope)?.account
    }

    /// All deliveries of a notification, ordered by endpoint.
    package func deliveries(of id: NotificationID) async throws -> [Delivery] {
        try await deliveries(of: [id])[id] ?? []
    }

    /// The deliveries of several notifications to one endpoint. The result has no entry for a notification without such
    /// a delivery.
    package func deliveries(of ids: [NotificationID], to endpoint: String) async throws -> [NotificationID: Delivery] {
        try await deliveries(of: ids).compactMapValues { $0.first { $0.endpoint == endpoint } }
    }

    /// The due deliveries of all partitions.
    package func dueDeliveries(to endpoint: String, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries
    {
        try await dueDeliveries(to: endpoint, on: clock, until: until, in: nil, limit: limit)
    }

    package func columns(of table: ShopTable) -> [ShopTable.Column] { table.columns }

    package var connections: ConnectionUse? { nil }

    /// Stores delivery attempts in any epoch.
    package func record(_ deliveries: [Delivery]) async throws { try await record(deliveries, epoch: nil) }
}

/// The part of the deliveries that a node makes.
package struct DeliveryPart: Sendable {
    /// The partitions of the notifications.
    package let partitions: Range<Int64>
    /// The epoch of the app as the node knows it; nil for any. In a later epoch there are no deliveries for the node,
    /// because it must first load the data that replaced its own (`ConfigurationVersions`).
    package let epoch: Int64?

    /// Creates a part.
    package init(partitions: Range<Int64>, epoch: Int64?) {
        (self.partitions, self.epoch) = (partitions, epoch)
    }
}

/// An account that has a due event.
package struct DueAccount: Equatable, Sendable {
    /// The number of the account.
    package let id: AccountID
    /// The customer's name.
    package let customer: String
    /// The instant of the account's first due event.
    package let due: Timestamp

    /// An account that has a due event.
    package init(id: AccountID, customer: String, due: Timestamp) {
        self.id = id
        self.customer = customer
        self.due = due
    }
}

/// An endpoint of an app's environment, by its name.
package struct EndpointName: Hashable, Sendable {
    /// The app and the environment.
    package let scope: AccountScope
    /// The name: `primary`, `listen`, or a name that the operator chose.
    package let endpoint: String

    /// An endpoint of an app's environment, by its name.
    package init(_ scope: AccountScope, _ endpoint: String) {
        self.scope = scope
        self.endpoint = endpoint
    }
}
