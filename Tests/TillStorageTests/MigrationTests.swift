import Crypto
import Foundation
import GRDB
import Testing
import TillStorage
import TillTesting

@testable import TillPostgres
@testable import TillSQLite

/// A database of 0.1.0 has run these statements and will not run others in their place.
@Suite("Released migrations never change")
struct MigrationTests {
    private static let sqlite = [
        "1 documents, accounts and ledger": "",
        "2 journal": "",
        "3 clocks, commitments and notifications": "",
        "4 rows in the order of their numbers": "",
        "5 snapshots": "",
        "6 what is in a snapshot": "",
    ]

    private static let postgres = [
        "1 documents, journal, accounts, ledger, outbox and deliveries": "",
        "2 nodes, leases and generations": "",
        "3 what is in a snapshot": "",
    ]

    private func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    @Test("Each migration has the digest that it was released with; a new one adds its own here")
    func digests() {
        for migration in TillSQLite.Migration.all {
            #expect(digest(migration.sql) == Self.sqlite[migration.name], "SQLite: \(migration.name)")
        }
        for migration in TillPostgres.Migration.all {
            let name = "\(migration.version) \(migration.name)"
            #expect(digest(migration.script) == Self.postgres[name], "PostgreSQL: \(name)")
        }
        #expect(TillSQLite.Migration.all.count == Self.sqlite.count)
        #expect(TillPostgres.Migration.all.count == Self.postgres.count)
    }

    @Test("The version of a file is known before it is opened")
    func version() throws {
        let folder = TemporaryFolder()
        let names = TillSQLite.Migration.all.map(\.name)
        for (number, name) in names.enumerated() {
            let path = "\(folder.path)/\(number).sqlite"
            let queue = try DatabaseQueue(path: path)
            try Migrations.all.migrate(queue, upTo: name)
            try queue.close()
            #expect(try SQLiteStorage.version(of: path) == (name == names.last ? .current : .older))
        }
        let path = "\(folder.path)/newer.sqlite"
        var migrator = Migrations.all
        migrator.registerMigration("999 from the future") { _ in }
        let queue = try DatabaseQueue(path: path)
        try migrator.migrate(queue)
        try queue.close()
        #expect(try SQLiteStorage.version(of: path) == .newer)
    }
}
