/// Erases all activity: customers, purchases, notifications, clocks and fault rules.
public struct Reset: ControlRequest, ReplacingRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(.delete, "/v1/state", tag: .server, scope: .administer)

    /// The app; by default all apps.
    public var bundleId: String?
    /// Whether to delete apps, keys, catalogs and settings, too; false by default.
    public var everything: Bool?
    /// The confirmation that a server with the production guard requires: `production`.
    public var confirm: String?

    public init(bundleId: String? = nil, everything: Bool? = nil, confirm: String? = nil) {
        self.bundleId = bundleId
        self.everything = everything
        self.confirm = confirm
    }
}

/// Lists the snapshots by name.
public struct ListSnapshots: ControlRequest {
    public typealias Answer = [SnapshotInfo]
    public static let operation = ControlOperation(.get, "/v1/snapshots", tag: .server)

    public init() {}
}

/// Saves the current state as a snapshot, and replaces an existing snapshot of that name.
public struct SaveSnapshot: ControlRequest {
    public typealias Answer = SnapshotInfo
    public static let operation = ControlOperation(
        .put,
        "/v1/snapshots/{name}",
        tag: .server,
        hasBody: false
    )

    /// The name of the snapshot: letters, digits, dots, dashes and underscores.
    public var name: String
    /// The app; by default all apps.
    public var bundleId: String?

    public init(name: String, bundleId: String? = nil) {
        self.name = name
        self.bundleId = bundleId
    }
}

/// Restores the state exactly as it was saved. Waits for running operations.
public struct RestoreSnapshot: ControlRequest, ReplacingRequest {
    public typealias Answer = SnapshotInfo
    public static let operation = ControlOperation(
        .post,
        "/v1/snapshots/{name}/restore",
        tag: .server,
        scope: .administer,
        hasBody: false
    )

    /// The name of the snapshot.
    public var name: String
    /// The confirmation that a server with the production guard requires: `production`.
    public var confirm: String?

    public init(name: String, confirm: String? = nil) {
        self.name = name
        self.confirm = confirm
    }
}

/// Deletes a snapshot.
public struct RemoveSnapshot: ControlRequest {
    public typealias Answer = NoAnswer
    public static let operation = ControlOperation(.delete, "/v1/snapshots/{name}", tag: .server)

    /// The name of the snapshot.
    public var name: String

    public init(name: String) {
        self.name = name
    }
}

/// Exports the current state, including shared secrets, as one line of JSON for each row.
public struct ExportState: ControlDownload {
    public static let operation = ControlOperation(.get, "/v1/state", tag: .server, scope: .administer)

    /// The app; by default all apps.
    public var bundleId: String?

    public init(bundleId: String? = nil) {
        self.bundleId = bundleId
    }
}

/// Replaces the current state with an exported state, completely or not at all.
public struct ImportState: ControlUpload, ReplacingRequest {
    public typealias Answer = StateImportInfo
    public static let operation = ControlOperation(.put, "/v1/state", tag: .server, scope: .administer)
    public static let mediaType = "application/x-ndjson"

    /// The confirmation that a server with the production guard requires: `production`.
    public var confirm: String?

    public init(confirm: String? = nil) {
        self.confirm = confirm
    }
}

/// A snapshot.
public struct SnapshotInfo: ControlObject {
    /// The name of the snapshot.
    public var name: String
    /// The app; absent for all apps.
    public var bundleId: String?
    /// When the snapshot was saved, in milliseconds of real time since 1970.
    public var savedAt: Timestamp
    /// The number of customers.
    public var customers: Int
    /// The number of transactions.
    public var transactions: Int
    /// The number of notifications.
    public var notifications: Int

    public init(
        name: String,
        bundleId: String? = nil,
        savedAt: Timestamp,
        customers: Int,
        transactions: Int,
        notifications: Int
    ) {
        self.name = name
        self.bundleId = bundleId
        self.savedAt = savedAt
        self.customers = customers
        self.transactions = transactions
        self.notifications = notifications
    }
}

/// The imported data.
public struct StateImportInfo: ControlObject {
    /// The app; absent for all apps.
    public var bundleId: String?
    /// The number of customers.
    public var customers: Int
    /// The number of transactions.
    public var transactions: Int
    /// The number of notifications.
    public var notifications: Int

    public init(bundleId: String? = nil, customers: Int, transactions: Int, notifications: Int) {
        self.bundleId = bundleId
        self.customers = customers
        self.transactions = transactions
        self.notifications = notifications
    }
}
