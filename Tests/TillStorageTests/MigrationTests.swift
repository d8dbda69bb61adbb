import Crypto
import Foundation
import GRDB
import Testing
import TillStorage
import TillTestSupport

@testable import TillPostgres
@testable import TillSQLite

/// A database of version 0.1.0 has already run these statements, and will not run changed statements.
@Suite("Released migrations never change")
struct MigrationTests {
    private static let sqlite = [
        "1 documents, accounts and ledger":
            "bfa793483785f267504a71efa6e930d5b11b962346c1b212d8d8336ca6f63bda",
        "2 journal":
            "48855040754df7b1a92502517399af208196282a3c499844a85ffa733a561478",
        "3 clocks, commitments and notifications":
            "ee5049b385827bf1129f01a82d7fd44eed581c532819258891c8a94cdbdfd1e9",
        "4 rows in the order of their numbers":
            "f7866d57b1863c2c3043197107596fc4fb79f1bf1d8e25187fbc282de863c314",
        "5 snapshots":
            "7739341d7b2f86e6459a0d33852bbfdfe1439bf79283b4bca4cc44d0e296b527",
        "6 what is in a snapshot":
            "cee6786549da1c27f51aa80aa6591d9f6418d44b7b769d6339040aac7210bc5f",
    ]

    private static let postgres = [
        "1 documents, journal, accounts, ledger, outbox and deliveries":
            "2c42c9ef8fbed0a47287d87a8e0d9a729b302d03471b088a581e390cbbe45ac7",
        "2 nodes, leases and generations":
            "4cd87072d1b614be336b456a0ed0d3eb401d9b35155b93b4e61b8fb73ad6a671",
        "3 what is in a snapshot":
            "3b05d627d8f118660825f87c2d0bb4db98ca3391e6310ff031396ba2395e384f",
    ]

    /// The digests of the statements for SQLite, followed by those for PostgreSQL.
    private static let later = [
        "audit log":
            "594586fe17a425b9eca120e9cedc52a3e6deedc9eb94a34c2e26b190da96edb9",
        "calls of an audit record":
            "c9ead0c43a9358b5034d2f639ccdfbefce6835447aa57577f17aa4f8bbf35d17",
        "identifiers of other stores":
            "762fa679c7708bb3e217a62e1daa93c1acc7ea19fbd3b1adb6ee2b4bc6afc646",
        "ids of other stores in the ledger":
            "b6c097cce18637d07ecace162276faf6181b0629d2e613f4ff395b6e89c5970d",
        "counters of identifiers of other stores":
            "077dd4217cf686e54cb609e5bbc65414d3b0bc069fb982c79246252c4133be81",
        "replaced apps":
            "dcf1fb243f1e53cd9c2029ed36ea1307d35e8a2a8d1afd64352529ec198514b1",
        "search by token, and comparison of snapshots":
            "a83224720eedbaeb2f82dd54f779df454507897f2dcc0fedb66cb1af19725818",
    ]

    private func digest(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }

    @Test("Each migration has the digest of its release; a new migration adds its digest here")
    func digests() {
        for migration in LaterMigration.all {
            #expect(digest(migration.sqlite + migration.postgres) == Self.later[migration.name], "\(migration.name)")
        }
        for migration in TillSQLite.Migration.all.prefix(Self.sqlite.count) {
            #expect(digest(migration.sql) == Self.sqlite[migration.name], "SQLite: \(migration.name)")
        }
        for migration in TillPostgres.Migration.all.prefix(Self.postgres.count) {
            let name = "\(migration.version) \(migration.name)"
            #expect(digest(migration.script) == Self.postgres[name], "PostgreSQL: \(name)")
        }
        #expect(TillSQLite.Migration.all.count == Self.sqlite.count + Self.later.count)
        #expect(TillPostgres.Migration.all.count == Self.postgres.count + Self.later.count)
    }

    @Test("The version of a database file is read before the file is opened")
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
