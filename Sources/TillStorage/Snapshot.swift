import TillCore

/// A named copy of an app, or of the whole shop, in the same store: configuration, ledger, notifications and
/// deliveries.
package struct Snapshot: Equatable, Sendable {
    /// Unique in the store.
    package let name: String
    /// The bundle id; nil means the whole shop.
    package let app: String?
    /// In wall-clock time.
    package let savedAt: Timestamp
    /// Accounts in it.
    package var customers: Int
    /// Ledger rows in it.
    package var transactions: Int
    /// Notifications in it.
    package var notifications: Int

    /// A snapshot; the engine counts its rows.
    package init(
        name: String,
        app: String?,
        savedAt: Timestamp,
        customers: Int = 0,
        transactions: Int = 0,
        notifications: Int = 0
    ) {
        self.name = name
        self.app = app
        self.savedAt = savedAt
        self.customers = customers
        self.transactions = transactions
        self.notifications = notifications
    }
}

extension ShopTable {
    /// The column of `snapshots` that counts this table's rows; nil where they are not counted.
    package var counted: String? {
        switch self {
        case .accounts: "customers"
        case .ledger: "transactions"
        case .outbox: "notifications"
        case .documents, .redemptions, .deliveries: nil
        }
    }
}

/// A row of a snapshot and its place: rows are read in ascending places, which is the order of their keys.
package struct PlacedRow: Sendable {
    /// Unique among all snapshots' rows of the table.
    package let place: Int64
    /// The row itself.
    package let row: TableRow

    /// A row and its place.
    package init(place: Int64, row: TableRow) {
        self.place = place
        self.row = row
    }
}

/// Why a snapshot was not restored, or an app not erased. Nothing was changed.
package enum SnapshotFailure: Error, Equatable, Sendable {
    /// No snapshot has that name.
    case unknown(String)
    /// Numbers or names in it belong to another app here.
    case collides(ShopTable)
}

extension DocumentKind {
    /// Documents that a snapshot of the whole shop leaves out and a restore keeps: the shop's initial values; the
    /// chains that signed notifications, which were sent already; and control API tokens, so that a restore cannot
    /// bring back a revoked token.
    package static let lasting: Set<DocumentKind> = [.shop, .chain, .token]
}
