import TillCore

/// A named copy of an app, or of the whole server, in the same database. It contains configuration, ledger,
/// notifications and deliveries.
package struct Snapshot: Equatable, Sendable {
    /// The name, which is unique in the database.
    package let name: String
    /// The bundle id of the app; nil for a snapshot of the whole server.
    package let app: String?
    /// The instant of the snapshot, in real time.
    package let savedAt: Timestamp
    /// The number of accounts in the snapshot.
    package var customers: Int
    /// The number of ledger transactions in the snapshot.
    package var transactions: Int
    /// The number of notifications in the snapshot.
    package var notifications: Int

    /// A snapshot. The engine counts its rows.
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
    /// The column of `snapshots` that has the number of rows of this table; nil if the rows of this table are not
    /// counted.
    package var counted: String? {
        switch self {
        case .accounts: "customers"
        case .ledger: "transactions"
        case .outbox: "notifications"
        case .documents, .redemptions, .deliveries, .foreignIdentifiers: nil
        }
    }
}

/// A row of a snapshot with its position. Rows are read in ascending order of their positions, which is the order of
/// their keys.
package struct PlacedRow: Sendable {
    /// The position, which is unique among the rows of this table in all snapshots.
    package let place: Int64
    /// The row with its cells.
    package let row: TableRow

    /// A row with its position.
    package init(place: Int64, row: TableRow) {
        self.place = place
        self.row = row
    }
}

/// The reason why a snapshot was not restored, or an app was not erased. Nothing was changed.
package enum SnapshotFailure: Error, Equatable, Sendable {
    /// There is no snapshot with this name.
    case unknown(String)
    /// Numbers or names in this table of the snapshot belong to another app on this server.
    case collides(ShopTable)
}

extension DocumentKind {
    /// The kinds of documents that a snapshot of the whole server omits and that a restore keeps. They are the initial
    /// values of the server, the chains that signed notifications already sent, and control API tokens. A restore
    /// therefore cannot bring back a revoked token.
    package static let lasting: Set<DocumentKind> = [.shop, .chain, .token]
}
