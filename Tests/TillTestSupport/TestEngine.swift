import TillPostgres
import TillSQLite
import TillShop
import TillStorage

/// The storage engine of a test's shop.
package enum TestEngine: String, CaseIterable, Sendable {
    /// A file in the shop's own folder.
    case sqlite
    /// A database on the PostgreSQL server that all tests of a process share.
    case postgres

    /// Opens an empty store.
    ///
    /// - Returns: the store, and the URL of its database; nil for SQLite.
    func open(in directory: DataDirectory) throws -> (storage: any Storage, url: String?) {
        switch self {
        case .sqlite:
            try directory.prepareDatabase()
            return (try SQLiteStorage(path: directory.database), nil)
        case .postgres:
            let database = try PostgresServer.shared().database { _ = try PostgresStorage(DatabaseURL($0)) }
            let storage = try PostgresStorage(DatabaseURL(database.url))
            database.keep(while: storage)
            return (storage, database.url)
        }
    }
}
