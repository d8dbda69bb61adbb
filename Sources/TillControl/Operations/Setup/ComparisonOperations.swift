/// Compares one app in a snapshot with the same app in another snapshot, or with the current state: which customers,
/// renewals, transactions and notifications were added, changed or removed.
///
/// Both states are described with the current clocks, catalog and settings, so that only stored data differs. Sent
/// notifications never change; their deliveries are not compared.
public struct CompareSnapshots: ControlRequest {
    public typealias Answer = SnapshotComparison
    public static let operation = ControlOperation(.get, "/v1/snapshots/{name}/differences", tag: .server)
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...200)]

    /// The name of the earlier snapshot.
    public var name: String
    /// The name of the later snapshot; by default the current state.
    public var to: String?
    /// The app; by default the app of a snapshot that has only one app, or the only app of the server.
    public var bundleId: String?
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of differences; 50 by default.
    public var limit: Int?

    public init(name: String, to: String? = nil, bundleId: String? = nil, after: String? = nil, limit: Int? = nil) {
        self.name = name
        self.to = to
        self.bundleId = bundleId
        self.after = after
        self.limit = limit
    }
}

/// A page of the differences between two states of an app.
public struct SnapshotComparison: ControlObject {
    /// The app.
    public var bundleId: String
    /// The name of the earlier snapshot.
    public var from: String
    /// The name of the later snapshot; absent for the current state.
    public var to: String?
    /// The differences: in each environment first by customer, then the notifications by date.
    public var differences: [StateDifference]
    /// The value of `after` for the next page; absent on the last page. A page reads a limited amount of data, so it
    /// can have few differences, or none, and a next page.
    public var next: String?

    public init(
        bundleId: String,
        from: String,
        to: String? = nil,
        differences: [StateDifference],
        next: String? = nil
    ) {
        self.bundleId = bundleId
        self.from = from
        self.to = to
        self.differences = differences
        self.next = next
    }
}

/// An object in which two states differ.
public struct StateDifference: ControlObject {
    /// What differs.
    public var object: ComparedObject
    /// How it differs.
    public var change: DifferenceKind
    /// The environment.
    public var environment: StoreEnvironment
    /// The customer; absent for notifications about the app.
    public var customer: String?
    /// The transaction id of a transaction or of a notification, or the original transaction id of a renewal.
    public var transactionId: String?
    /// The product of a transaction or of a renewal.
    public var productId: String?
    /// The UUID of a notification.
    public var notificationUUID: String?
    /// The type of a notification, with its subtype after a slash.
    public var notificationType: String?
    /// The purchase date of a transaction or the signed date of a notification, in milliseconds since 1970.
    public var date: Timestamp?
    /// The fields that differ; only for a changed object.
    public var fields: [FieldDifference]?

    public init(_ object: ComparedObject, _ change: DifferenceKind, in environment: StoreEnvironment) {
        self.object = object
        self.change = change
        self.environment = environment
    }
}

/// A field of an object in two states. The names are those of the object in other answers: `CustomerInfo`,
/// `SubscriptionInfo` and `LedgerEntryInfo`.
public struct FieldDifference: ControlObject {
    /// The name of the field.
    public var name: String
    /// The earlier value, as JSON text without the quotes of a string; absent if the field had no value.
    public var before: String?
    /// The later value, as JSON text without the quotes of a string; absent if the field has no value.
    public var after: String?

    public init(name: String, before: String? = nil, after: String? = nil) {
        self.name = name
        self.before = before
        self.after = after
    }
}

/// What differs between two states.
public enum ComparedObject: String, Codable, CaseIterable, Sendable {
    /// A customer.
    case customer
    /// The subscription of a customer: its status and its next renewal.
    case renewal
    /// A transaction.
    case transaction
    /// A notification.
    case notification
}

/// How an object differs between two states.
public enum DifferenceKind: String, Codable, CaseIterable, Sendable {
    /// Only the later state has the object.
    case added
    /// Both states have the object, with different values.
    case changed
    /// Only the earlier state has the object.
    case removed
}
