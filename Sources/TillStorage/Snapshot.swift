import TillCore

/// A copy of an app, or of the whole shop, that lies beside it under a name: what was set up, the ledger, what was told
/// and what is owed.
package struct Snapshot: Equatable, Sendable {
    /// Unique in the store.
    package let name: String
    /// The bundle id; nil is the whole shop.
    package let app: String?
    /// By the wall clock.
    package let savedAt: Timestamp
    /// Accounts in it.
    package var customers: Int
    /// Ledger rows in it.
    package var transactions: Int
    /// Notifications in it.
    package var notifications: Int

    /// A snapshot; an engine counts what is in it.
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
    /// The column of a snapshot that says how many rows of this table are in it; nil where nobody asks.
    package var counted: String? {
        switch self {
        case .accounts: "customers"
        case .ledger: "transactions"
        case .outbox: "notifications"
        case .documents, .redemptions, .deliveries: nil
        }
    }
}

/// A row of a snapshot and where it stands: rows are read in ascending places, which are the order of their keys.
package struct PlacedRow: Sendable {
    /// Names no row of another snapshot.
    package let place: Int64
    /// What stands there.
    package let row: TableRow

    /// A row and its place.
    package init(place: Int64, row: TableRow) {
        self.place = place
        self.row = row
    }
}

/// Why a snapshot was not put back, or an app not erased. Nothing was changed.
package enum SnapshotFailure: Error, Equatable, Sendable {
    /// There is none of that name.
    case unknown(String)
    /// Numbers or names in it belong to another app here.
    case collides(ShopTable)
}

extension DocumentKind {
    /// Documents that a snapshot of the whole shop leaves out and a restore leaves alone: what the shop was born with,
    /// the chains that signed what was told, which nothing takes back, and who may use control, so that no restore
    /// lets in a token that was revoked.
    package static let lasting: Set<DocumentKind> = [.shop, .chain, .token]
}
