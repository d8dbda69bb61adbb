import Crypto
import Foundation
import GRDB
import Testing
import TillCore
import TillSQLite
import TillSigning
import TillStorage
import TillTestSupport

@testable import TillShop

@Suite("Backups of other versions, and the locations of backups")
struct BackupTests {
    private let folder = TemporaryFolder()

    private static let stores = Restore.Stores(
        version: { try SQLiteStorage.version(of: $0) },
        examine: { try SQLiteStorage(examining: $0, allowsOlder: true) },
        make: { try SQLiteStorage(path: $0) }
    )

    /// A shop on one of the engines, with one snapshot.
    private func shop(on engine: TestEngine) async throws -> TestShop {
        let test = try await TestShop(on: engine, selling: [.coins])
        for name in ["ann", "bob"] { try await test.buy("coins", by: name) }
        _ = try await test.shop.storage.save(Snapshot(name: "two", app: nil, savedAt: test.now))
        try await test.buy("coins", by: "cat")
        return test
    }

    private func backup(_ test: TestShop, to path: String) async throws -> BackupManifest {
        try await Backup.write(
            test.shop.storage,
            test.directory,
            test.shop.locks,
            makingStore: { try SQLiteStorage(path: $0) },
            version: "test",
            at: test.now,
            to: path
        )
    }

    /// Changes a backup into one of an earlier version: its tables, its list of versions and its manifest.
    private func makeOlder(_ backup: DataDirectory, _ manifest: BackupManifest, version: Int) throws {
        let queue = try DatabaseQueue(path: backup.database)
        try queue.write { db in
            try db.execute(sql: "DROP TABLE audit")
            try db.execute(sql: "DROP TABLE foreign_identifiers; DROP TABLE snapshot_foreign_identifiers")
            for column in ["customers", "transactions", "notifications"] {
                try db.execute(sql: "ALTER TABLE snapshots DROP COLUMN \(column)")
            }
            // The column of version 10 stays in the ledger, because the checksum of the ledger contains it.
            try db.execute(
                sql: "DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) IN (6, 7, 8, 9, 11)"
            )
            guard version < 5 else { return }
            try db.execute(sql: "DROP TABLE snapshots; ALTER TABLE documents DROP COLUMN app")
            for table in ShopTable.allCases where table != .foreignIdentifiers {
                try db.execute(sql: "DROP TABLE snapshot_\(table.rawValue)")
            }
            try db.execute(sql: "DELETE FROM grdb_migrations WHERE CAST(identifier AS INTEGER) = 5")
        }
        let documents = try queue.read {
            try Row.fetchAll($0, sql: "SELECT kind, name, body FROM documents ORDER BY kind, name")
                .map { TableRow([.text($0[0]), .text($0[1]), .text($0[2])]) }
        }
        try queue.close()
        var text: [UInt8] = []
        for row in documents { StateFile.append(row, to: &text) }
        let sum = Hexadecimal.text(SHA256.hash(data: Data(SHA256.hash(data: text))))
        var older = manifest
        older.parts = manifest.parts.filter { !$0.name.hasSuffix(ShopTable.foreignIdentifiers.rawValue) }
        if version < 5 {
            older.parts = older.parts.filter { !$0.name.contains("/") }.map { part in
                part.name == "documents"
                    ? TableChecksum(name: part.name, rows: documents.count, sha256: sum) : part
            }
        }
        try older.text().write(toFile: backup.backupManifest, atomically: true, encoding: .utf8)
    }

    private func change(_ backup: DataDirectory, _ sql: String) throws {
        let queue = try DatabaseQueue(path: backup.database)
        try queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test("A restore migrates the tables of an older backup", arguments: [5, 4], TestEngine.allCases)
    func older(version: Int, engine: TestEngine) async throws {
        let test = try await shop(on: engine)
        let backup = DataDirectory("\(folder.path)/backup")
        let manifest = try await self.backup(test, to: backup.path)
        try makeOlder(backup, manifest, version: version)
        let before = FileManager.default.contents(atPath: backup.database)
        let target = DataDirectory("\(folder.path)/target")
        try DataDirectory.makeFolder(target.path)
        let place = engine == .postgres ? try await TestShop(on: .postgres) : nil
        // The target database already contains a shop, and the restore replaces it.
        let report = try await Restore(of: backup, to: target, Self.stores)
            .run(into: place?.shop.storage, replacing: place != nil)
        #expect(report.wasOlder)
        let store: any Storage = if let place { place.shop.storage } else { try SQLiteStorage(path: target.database) }
        let customers = try await store.accounts(of: nil, after: nil, limit: 9).map(\.customer)
        #expect(customers.sorted() == ["ann", "bob", "cat"])
        #expect(try await store.snapshots().map(\.name) == (version < 5 ? [] : ["two"]))
        #expect(try await store.snapshots().map(\.customers) == (version < 5 ? [] : [2]))
        #expect(try await store.documents(.app).map(\.app) == [TestShop.bundleID])
        #expect(try await store.examine().isEmpty)
        #expect(FileManager.default.contents(atPath: backup.database) == before, "the backup is only read")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["backup", "target"])
        if place == nil { try await store.close() }
    }

    @Test("A restore adds the audit log of the backup to the log of the replaced data")
    func auditLogs() async throws {
        let test = try await shop(on: .sqlite)
        func record(_ id: String, count: Int = 1) -> AuditRecord {
            AuditRecord(
                id: id,
                at: test.now,
                caller: "ci",
                operation: "createApp",
                status: 403,
                code: "insufficient_scope",
                count: count
            )
        }
        for id in ["before", "both"] { await test.shop.write(record(id)) }
        let path = folder.path + "/audit.backup"
        _ = try await backup(test, to: path)
        await test.shop.write(record("both", count: 4))
        await test.shop.write(record("after"))
        try await test.shop.storage.close()
        let restore = Restore(of: DataDirectory(path), to: test.directory, Self.stores)
        _ = try await restore.run(into: nil, replacing: true)
        let restored = try SQLiteStorage(path: test.directory.database)
        let found = try await restored.auditRecords(AuditQuery(limit: 10)).map { "\($0.record.id) \($0.record.count)" }
        #expect(found.sorted() == ["after 1", "before 1", "both 4"])
        try await restored.close()
    }

    @Test("A modified older backup is rejected as damaged, and a backup of a newer version as too new")
    func refused() async throws {
        let test = try await shop(on: .sqlite)
        let backup = DataDirectory("\(folder.path)/backup")
        let manifest = try await self.backup(test, to: backup.path)
        let target = DataDirectory("\(folder.path)/target")
        try makeOlder(backup, manifest, version: 5)
        try change(backup, "UPDATE ledger SET quantity = 2")
        let damaged = await #expect(throws: BackupRefused.self) {
            _ = try await Restore(of: backup, to: target, Self.stores).run(into: nil, replacing: false)
        }
        guard case .damaged(_, let what) = try #require(damaged), what.contains("ledger") else {
            Issue.record("\(damaged as Any)")
            return
        }
        try change(backup, "INSERT INTO grdb_migrations VALUES ('999 from the future')")
        let newer = await #expect(throws: BackupRefused.self) {
            _ = try await Restore(of: backup, to: target, Self.stores).run(into: nil, replacing: false)
        }
        guard case .otherFormat = try #require(newer) else {
            Issue.record("\(newer as Any)")
            return
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup"])
    }

    @Test("A backup is never written into the data directory, whatever path leads to it")
    func inside() async throws {
        let test = try await shop(on: .sqlite)
        let data = test.directory.path
        let files = FileManager.default
        try files.createSymbolicLink(atPath: "\(folder.path)/link", withDestinationPath: data)
        try files.createSymbolicLink(atPath: "\(folder.path)/keys", withDestinationPath: "\(data)/keys")
        let before = try files.subpathsOfDirectory(atPath: data).sorted()
        for path in [
            data, "\(data)/", "\(data)/copy", "\(data)/ca/copy", "\(data)/new/deep/copy", "\(folder.path)/link",
            "\(folder.path)/link/copy", "\(folder.path)/keys/../copy", "\(folder.path)/new/../link/copy",
        ] {
            let refused = await #expect(throws: BackupRefused.self, "\(path)") {
                _ = try await self.backup(test, to: path)
            }
            guard case .inside(path, data) = try #require(refused) else {
                Issue.record("\(path): \(refused as Any)")
                continue
            }
        }
        #expect(try files.subpathsOfDirectory(atPath: data).sorted() == before)
        // A sibling folder whose name begins with the same text is a different folder.
        _ = try await backup(test, to: data + "-copy")
        try files.removeItem(atPath: data + "-copy")
    }
}
