import TillCore

/// What an engine keeps and how it is asked: the embedded SQLite, and PostgreSQL past one machine.
///
/// An engine holds no rule. It writes what it is told in one transaction or not at all, answers from what is committed,
/// and acknowledges nothing before it is durable. Every engine passes the same contract tests.
package protocol Storage: Sendable {
    // MARK: What the operator set up

    /// All documents of a kind, in the order of their names.
    func documents(_ kind: DocumentKind) async throws -> [Document]

    /// Writes documents in one transaction, over those of the same kind and name.
    func put(_ documents: [Document]) async throws

    /// Writes a document unless there is one of its kind and name.
    ///
    /// - Returns: the one that is there now.
    func keep(_ document: Document) async throws -> Document

    /// Removes a document; removing what is not there does nothing.
    func removeDocument(_ kind: DocumentKind, name: String) async throws

    // MARK: Identifiers

    /// Reserves so many counter values that nobody was given before and nobody will be given again, even after a crash:
    /// the new high-water mark is durable before the range is returned.
    ///
    /// - Throws: `DamagedRow` when there are not so many left, or the mark cannot be read.
    func reserveIdentifiers(_ count: Int64) async throws -> Range<Int64>

    /// The first counter value that was never reserved.
    func identifierHighWater() async throws -> Int64

    // MARK: The ledger

    /// Commits a batch in one transaction, each change under a savepoint of its own: a failed change leaves no trace
    /// and does not hinder the others. The results stand in the order of the changes. When the transaction itself
    /// fails, every result is `CommitFailure.engine` or `.noRoom`.
    func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>]

    /// An account by its number.
    ///
    /// - Throws: `DamagedAccount` for one whose state cannot be read, or contradicts its columns.
    func account(_ id: AccountID) async throws -> Account?

    /// A customer's account in an app.
    ///
    /// - Throws: `DamagedAccount` for one whose state cannot be read, or contradicts its columns.
    func account(environment: StoreEnvironment, app: String, customer: String) async throws -> Account?

    /// Accounts of an app and environment (or all accounts when nil), ascending by number from the first after another.
    /// Each is read by itself, so that a damaged one is among them and hides no other.
    func storedAccounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [StoredAccount]

    /// Whose transaction it is, when it belongs to the app and environment.
    func owner(of id: TransactionID, in scope: AccountScope) async throws -> AccountID?

    /// A row of the ledger, in whatever app and environment.
    func transaction(_ id: TransactionID) async throws -> Transaction?

    /// All rows of an order, ascending by id.
    func transactions(in order: OrderID) async throws -> [Transaction]

    /// One page of an account's history, with the account's head at the same moment.
    func history(_ query: HistoryQuery) async throws -> HistoryPage

    /// Refunded rows of an account whose refund number is above another, ascending by it.
    func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction]

    /// The newest refunds of an account, ascending by refund number.
    func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction]

    // MARK: What falls due

    /// Accounts on a clock in which something falls due at or before an instant, the earliest first.
    func dueAccounts(on clock: ClockName, until: Timestamp, limit: Int) async throws -> [DueAccount]

    /// When something falls due in an account, as it was last noted; nil while nothing will.
    func nextDue(of id: AccountID) async throws -> Timestamp?

    /// When something falls due first on a clock: in an account, or a delivery.
    func nextDue(on clock: ClockName) async throws -> (account: Timestamp?, delivery: Timestamp?)

    /// Deliveries to an endpoint that are due on a clock at or before an instant: the earliest first, and of one
    /// instant in the order in which they were made.
    func dueDeliveries(to endpoint: String, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries

    // MARK: Notifications

    /// Notes attempts: the due date, the attempts and whether it arrived. One transaction.
    ///
    /// - Parameter era: the only one in which they are noted; nil notes them in any (`ConfigurationVersions`).
    func record(_ deliveries: [Delivery], era: Int64?) async throws

    /// Lets deliveries fall due again and changes nothing else of them: an attempt may be noted at the same time.
    func redeliver(_ id: NotificationID, to endpoints: [String], due: Timestamp) async throws

    /// A notification by its number.
    func notification(_ id: NotificationID) async throws -> OutboxEntry?

    /// A notification by its UUID, in an app's environment.
    func notification(uuid: String, in scope: AccountScope) async throws -> OutboxEntry?

    /// Notifications in the order in which they were signed.
    func notifications(_ query: NotificationQuery) async throws -> [OutboxEntry]

    /// All deliveries of several notifications, by notification, and of each by endpoint; one that has none is left
    /// out.
    func deliveries(of ids: [NotificationID]) async throws -> [NotificationID: [Delivery]]

    /// The deliveries of several notifications to one endpoint, by notification; one that has none is left out.
    func deliveries(of ids: [NotificationID], to endpoint: String) async throws -> [NotificationID: Delivery]

    /// How many deliveries of an app's environment are due or will be.
    func owedDeliveries(on clock: ClockName, until: Timestamp?) async throws -> Int

    /// The endpoints to which anything is still owed.
    func owedEndpoints() async throws -> [EndpointName]

    /// Takes back what is still owed to an endpoint that is no more.
    func dropDeliveries(to endpoint: String, in scope: AccountScope) async throws

    // MARK: The request log

    /// Adds entries and forgets the oldest beyond `keeping`.
    func appendJournal(_ entries: [RequestLogEntry], keeping: Int) async throws

    /// The entry of a request id.
    func journalEntry(_ id: String) async throws -> RequestLogEntry?

    /// The newest entries first, of those before a number.
    func requestLog(before number: Int64, limit: Int) async throws -> [NumberedEntry]

    /// Entries behind a number, the oldest first.
    func requestLog(after number: Int64, limit: Int) async throws -> [NumberedEntry]

    // MARK: Erasing

    /// How much belongs to an account.
    func belongings(of account: AccountID) async throws -> Belongings

    /// The names of the snapshots in which a customer of an app's environment stands.
    func snapshots(holding customer: String, in scope: AccountScope) async throws -> [String]

    // MARK: Retention

    /// A page of notifications that are old enough to go.
    func prunable(_ query: PruneQuery) async throws -> [Prunable]

    /// Removes notifications with their deliveries, in one transaction; one that is owed by now stays whole.
    func prune(_ ids: [NotificationID]) async throws

    // MARK: Clean state

    /// Copies an app, or the whole shop, under a name, at one moment; a snapshot of that name is replaced.
    ///
    /// - Returns: the snapshot with what is in it counted.
    func save(_ snapshot: Snapshot) async throws -> Snapshot

    /// All snapshots, by name.
    func snapshots() async throws -> [Snapshot]

    /// Puts a snapshot back in one transaction: what it is of is erased, documents of its app included, and stands
    /// again as it was. Identifiers that were handed out since stay handed out.
    ///
    /// - Throws: `SnapshotFailure`.
    func restore(snapshot name: String) async throws

    /// Removes a snapshot; removing what is not there does nothing.
    func remove(snapshot name: String) async throws

    /// Erases the ledger, what was told and what is owed of an app (nil is all), and its documents of these kinds, in
    /// one transaction.
    func erase(app: String?, documents kinds: Set<DocumentKind>) async throws

    /// Rows of a snapshot's table, ascending by place from the first after another.
    func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) async throws -> [PlacedRow]

    /// Adds rows behind those that a snapshot has; a snapshot that is not there yet is made, of this app (nil is all).
    func add(_ rows: [TableRow], of table: ShopTable, to snapshot: Snapshot) async throws

    /// Lets identifiers begin at a value at least, because rows that were carried here have those below it.
    func reserveIdentifiers(below highWater: Int64) async throws

    // MARK: From engine to engine

    /// The columns of a table that the store has, in their order: all of them, unless an older Till made its tables.
    func columns(of table: ShopTable) -> [ShopTable.Column]

    /// Rows of a table, from the first after another (nil begins). Those of one partition, and those of a table without
    /// partitions, come in the order of their keys; which partition comes when is the engine's choice.
    ///
    /// - Throws: `DamagedRow` for a cell of another kind than its column.
    func rows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow]

    /// Adds rows to a table, all or none. It holds none of them yet.
    func add(_ rows: [TableRow], to table: ShopTable) async throws

    // MARK: Care

    /// `rows(of:after:limit:)` for a search for damage: cells of another kind than their column do not throw.
    func examinedRows(of table: ShopTable, after row: TableRow?, limit: Int) async throws -> [TableRow]

    /// What is wrong inside the engine: damaged files, rows without their account, numbers that do not add up.
    /// Each finding is one sentence. Empty when all is well.
    func examine() async throws -> [String]

    /// Writes a complete copy to a path while serving goes on, where the engine is a file. The path must not exist.
    ///
    /// - Returns: false for an engine without a file of its own; then `readWhole` has what there is.
    @discardableResult
    func backup(to path: String) async throws -> Bool

    /// Reads all that the store holds, as it stands at one moment, while serving goes on. The next part is read once
    /// the one before was taken.
    func readWhole(_ take: @escaping @Sendable (StoredPart) async throws -> Void) async throws

    /// Whether the engine answers.
    func ping() async throws

    /// Ends all work and closes the files.
    func close() async throws
}

extension Storage {
    /// All deliveries of a notification, by endpoint.
    package func deliveries(of id: NotificationID) async throws -> [Delivery] {
        try await deliveries(of: [id])[id] ?? []
    }

    package func columns(of table: ShopTable) -> [ShopTable.Column] { table.columns }

    /// Notes attempts in any era.
    package func record(_ deliveries: [Delivery]) async throws { try await record(deliveries, era: nil) }
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

/// An account in which something falls due.
package struct DueAccount: Equatable, Sendable {
    /// Its number.
    package let id: AccountID
    /// Whose account it is.
    package let customer: String
    /// When the first thing falls due.
    package let due: Timestamp

    /// An account in which something falls due.
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
    /// `primary`, `listen`, or a name of the operator's.
    package let endpoint: String

    /// An endpoint of an app's environment.
    package init(_ scope: AccountScope, _ endpoint: String) {
        self.scope = scope
        self.endpoint = endpoint
    }
}
