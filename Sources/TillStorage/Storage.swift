import TillCore

/// The interface of an engine: the embedded SQLite, or PostgreSQL for more than one machine.
///
/// An engine contains no business rules. It writes each change in one transaction or not at all, answers from committed
/// data, and acknowledges nothing before it is durable. Every engine passes the same contract tests.
package protocol Storage: Sendable {
    // MARK: Configuration

    /// All documents of a kind, ordered by name.
    func documents(_ kind: DocumentKind) async throws -> [Document]

    /// Writes documents in one transaction; they replace those of the same kind and name.
    func put(_ documents: [Document]) async throws

    /// Writes a document unless one of its kind and name exists.
    ///
    /// - Returns: the document that is stored now.
    func keep(_ document: Document) async throws -> Document

    /// Removes a document; does nothing if it does not exist.
    func removeDocument(_ kind: DocumentKind, name: String) async throws

    // MARK: Identifiers

    /// Reserves counter values that were never used before and will never be used again, even after a crash: the new
    /// high-water mark is durable before the range is returned.
    ///
    /// - Throws: `DamagedRow` when not enough values are left, or the mark cannot be read.
    func reserveIdentifiers(_ count: Int64) async throws -> Range<Int64>

    /// The first counter value that was never reserved.
    func identifierHighWater() async throws -> Int64

    // MARK: The ledger

    /// Commits a batch in one transaction, each change under a savepoint of its own: a failed change leaves no trace
    /// and does not affect the others. The results are in the order of the changes. When the transaction itself fails,
    /// every result is `CommitFailure.engine` or `.diskFull`.
    func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>]

    /// An account by its number.
    ///
    /// - Throws: `DamagedAccount` when its state cannot be read or contradicts its columns.
    func account(_ id: AccountID) async throws -> Account?

    /// A customer's account in an app.
    ///
    /// - Throws: `DamagedAccount` when its state cannot be read or contradicts its columns.
    func account(environment: StoreEnvironment, app: String, customer: String) async throws -> Account?

    /// Accounts of an app and environment (nil: all accounts), by ascending number, after a given one. Each account is
    /// read separately, so that a damaged one is listed, too, and does not hide the others.
    func storedAccounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [StoredAccount]

    /// The account of a transaction, if it is in the app and environment.
    func owner(of id: TransactionID, in scope: AccountScope) async throws -> AccountID?

    /// A transaction in any app and environment.
    func transaction(_ id: TransactionID) async throws -> Transaction?

    /// All transactions of an order, by ascending id.
    func transactions(in order: OrderID) async throws -> [Transaction]

    /// One page of an account's history, with the account's head at the same moment.
    func history(_ query: HistoryQuery) async throws -> HistoryPage

    /// Refunded transactions of an account, by ascending refund number, after a given one.
    func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction]

    /// The newest refunds of an account, by ascending refund number.
    func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction]

    // MARK: What falls due

    /// Accounts on a clock that have something due at or before an instant, the earliest first.
    func dueAccounts(on clock: ClockName, until: Timestamp, limit: Int) async throws -> [DueAccount]

    /// When something falls due in an account, as last stored; nil while nothing will.
    func nextDue(of id: AccountID) async throws -> Timestamp?

    /// When the next account and the next delivery on a clock fall due.
    func nextDue(on clock: ClockName) async throws -> (account: Timestamp?, delivery: Timestamp?)

    /// Deliveries to an endpoint that are due on a clock at or before an instant: the earliest first, and those of one
    /// instant in the order in which they were made.
    func dueDeliveries(to endpoint: String, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries

    // MARK: Notifications

    /// Stores attempts: the due date, the attempts and whether it was delivered. One transaction.
    ///
    /// - Parameter epoch: the epoch in which this may happen; nil allows any (`ConfigurationVersions`).
    func record(_ deliveries: [Delivery], epoch: Int64?) async throws

    /// Makes deliveries due again and changes nothing else of them, because an attempt may be stored at the same time.
    func redeliver(_ id: NotificationID, to endpoints: [String], due: Timestamp) async throws

    /// A notification by its number.
    func notification(_ id: NotificationID) async throws -> OutboxEntry?

    /// A notification by its UUID, in an app's environment.
    func notification(uuid: String, in scope: AccountScope) async throws -> OutboxEntry?

    /// Notifications in the order of their signed dates.
    func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry]

    /// All deliveries of several notifications, by notification and ordered by endpoint. A notification without
    /// deliveries is left out.
    func deliveries(of ids: [NotificationID]) async throws -> [NotificationID: [Delivery]]

    /// The deliveries of several notifications to one endpoint, by notification; those without one are left out.
    func deliveries(of ids: [NotificationID], to endpoint: String) async throws -> [NotificationID: Delivery]

    /// How many deliveries of an app's environment are due or will be.
    func pendingDeliveries(on clock: ClockName, until: Timestamp?) async throws -> Int

    /// The endpoints with pending deliveries.
    func pendingEndpoints() async throws -> [EndpointName]

    /// Discards the pending deliveries to an endpoint that was removed.
    func dropDeliveries(to endpoint: String, in scope: AccountScope) async throws

    // MARK: The request log

    /// Adds entries and deletes the oldest ones beyond `keeping`.
    func appendRequestLog(_ entries: [RequestLogEntry], keeping: Int) async throws

    /// The entry of a request id.
    func requestLogEntry(_ id: String) async throws -> RequestLogEntry?

    /// The newest entries before a number, newest first.
    func requestLog(before number: Int64, limit: Int) async throws -> [NumberedEntry]

    /// Entries after a number, the oldest first.
    func requestLog(after number: Int64, limit: Int) async throws -> [NumberedEntry]

    // MARK: Erasing

    /// How much data belongs to an account.
    func belongings(of account: AccountID) async throws -> Belongings

    /// The names of the snapshots that contain a customer of an app's environment.
    func snapshots(holding customer: String, in scope: AccountScope) async throws -> [String]

    // MARK: Retention

    /// A page of notifications that are old enough to delete.
    func prunable(_ query: PruneQuery) async throws -> [Prunable]

    /// Deletes notifications with their deliveries in one transaction; one with a pending delivery by now is kept
    /// whole.
    func prune(_ ids: [NotificationID]) async throws

    // MARK: Snapshots

    /// Copies an app, or the whole shop, at one moment under a name; replaces a snapshot of that name.
    ///
    /// - Returns: the snapshot with its rows counted.
    func save(_ snapshot: Snapshot) async throws -> Snapshot

    /// All snapshots, by name.
    func snapshots() async throws -> [Snapshot]

    /// Restores a snapshot in one transaction: erases the app or shop that it covers, with the app's documents, and
    /// puts back the copy. Identifiers that were used since are not used again.
    ///
    /// - Throws: `SnapshotFailure`.
    func restore(snapshot name: String) async throws

    /// Removes a snapshot; does nothing if it does not exist.
    func remove(snapshot name: String) async throws

    /// Erases an app's (nil: everything's) ledger, notifications and deliveries, and its documents of these kinds, in
    /// one transaction.
    func erase(app: String?, documents kinds: Set<DocumentKind>) async throws

    /// Rows of a snapshot's table, by ascending place, after a given one.
    func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) async throws -> [PlacedRow]

    /// Appends rows to a snapshot; creates the snapshot if it does not exist, for this app (nil: the whole shop).
    func add(_ rows: [TableRow], of table: ShopTable, to snapshot: Snapshot) async throws

    /// Raises the identifiers' high-water mark to a value at least, because imported rows have numbers below it.
    func reserveIdentifiers(below highWater: Int64) async throws

    // MARK: Transfer between engines

    /// The columns of a table that the store has, in order: all of them, unless an older Till made its tables.
    func columns(of table: ShopTable) -> [ShopTable.Column]

    /// Rows of a table after a given one (nil: from the start). Rows of one partition, and those of a table without
    /// partitions, are ordered by key; the engine chooses the order of the partitions.
    ///
    /// - Throws: `DamagedRow` for a cell whose type differs from its column's.
    func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow]

    /// Adds rows to a table, all or none. None of them may exist yet.
    func add(_ rows: [TableRow], to table: ShopTable) async throws

    // MARK: Maintenance

    /// `rows(of:after:limit:)` for finding damage: cells of a wrong type do not throw.
    func examinedRows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow]

    /// What is wrong inside the engine: damaged files, rows without an account, wrong counts. Each finding is one
    /// sentence. Empty when nothing is wrong.
    func examine() async throws -> [String]

    /// Writes a complete copy to a path while the server runs, if the engine is a file. The path must not exist.
    ///
    /// - Returns: false for an engine without a file of its own; use `readWhole` then.
    @discardableResult
    func backup(to path: String) async throws -> Bool

    /// Reads the whole store as of one moment, while the server runs. Each part is read after the one before was
    /// processed.
    func readWhole(_ take: @escaping @Sendable (StoredPart) async throws -> Void) async throws

    /// Throws when the engine does not answer.
    func ping() async throws

    /// Ends all work and closes the files or connections.
    func close() async throws
}

extension Storage {
    /// All deliveries of a notification, by endpoint.
    package func deliveries(of id: NotificationID) async throws -> [Delivery] {
        try await deliveries(of: [id])[id] ?? []
    }

    package func columns(of table: ShopTable) -> [ShopTable.Column] { table.columns }

    /// Stores attempts in any epoch.
    package func record(_ deliveries: [Delivery]) async throws { try await record(deliveries, epoch: nil) }
}

/// An app in an environment.
package struct AccountScope: Hashable, Sendable {
    /// An app's customers in one environment are unknown in the other.
    package let environment: StoreEnvironment
    /// The bundle identifier.
    package let app: String

    /// An app in an environment.
    package init(environment: StoreEnvironment, app: String) {
        self.environment = environment
        self.app = app
    }
}

/// An account with something due.
package struct DueAccount: Equatable, Sendable {
    /// Its number.
    package let id: AccountID
    /// The customer's name.
    package let customer: String
    /// When the first event falls due.
    package let due: Timestamp

    /// An account with something due.
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
    /// `primary`, `listen`, or a name that the operator chose.
    package let endpoint: String

    /// An endpoint of an app's environment.
    package init(_ scope: AccountScope, _ endpoint: String) {
        self.scope = scope
        self.endpoint = endpoint
    }
}
