import Foundation
import Testing
import TillCore
import TillSQLite
import TillShop
import TillStorage
import TillTestSupport

@Suite("Migration of a shop from one store to another")
struct StoreMigrationTests {
    private let folder = TemporaryFolder()

    private func empty(_ name: String) throws -> SQLiteStorage {
        try SQLiteStorage(path: "\(folder.path)/\(name).sqlite")
    }

    private func shop() async throws -> TestShop {
        let test = try await TestShop(selling: [.coins])
        for name in ["ann", "bob"] { try await test.buy("coins", by: name) }
        _ = try await test.shop.storage.save(Snapshot(name: "two", app: nil, savedAt: test.now))
        try await test.buy("coins", by: "cat")
        return test
    }

    @Test("A migration copies every row, and the checksums match")
    func everything() async throws {
        let test = try await shop()
        let target = try empty("target")
        let report = try await StoreMigration(from: test.shop.storage, to: target).run()
        let rows = Dictionary(uniqueKeysWithValues: report.parts.map { ($0.name, $0.rows) })
        #expect(rows["accounts"] == 3 && rows["ledger"] == 3 && rows["two/ledger"] == 2)
        #expect(report.snapshots == ["two"])
        #expect(try await target.identifierHighWater() == test.shop.storage.identifierHighWater())
        #expect(try await target.unfinished == nil)
        #expect(try await target.documents(.shop) == test.shop.storage.documents(.shop))
        #expect(try await target.documents(.chain) == test.shop.storage.documents(.chain))
        // The same data gives the same checksum, and an additional row gives another.
        let again = try await StoreMigration(from: target, to: try empty("again")).run()
        #expect(again.parts == report.parts)
        try await test.buy("coins", by: "ann")
        let more = try await StoreMigration(from: test.shop.storage, to: try empty("more")).run()
        #expect(more.parts.first { $0.name == "ledger" } != report.parts.first { $0.name == "ledger" })
    }

    @Test("A migration to a target that contains data is rejected")
    func occupied() async throws {
        let test = try await shop()
        let target = try empty("target")
        try await target.put([Document(kind: .team, name: "team", body: "1")])
        await #expect(throws: MigrationRefused.self) {
            _ = try await StoreMigration(from: test.shop.storage, to: target).run()
        }
        #expect(try await target.rows(of: .documents, after: nil, limit: 9).count == 1)
    }

    @Test("The target of an interrupted migration is rejected as a source, and a new migration can complete it")
    func brokenOff() async throws {
        let test = try await shop()
        let target = try empty("target")
        let migration = StoreMigration(from: test.shop.storage, to: target)
        let task = Task {
            try await StoreMigration(from: test.shop.storage, to: target) { progress in
                guard progress.part == "ledger", progress.isWhole else { return }
                withUnsafeCurrentTask { $0?.cancel() }
            }.run()
        }
        await #expect(throws: (any Error).self) { _ = try await task.value }
        #expect(try await target.unfinished == .migrate)
        await #expect(throws: MigrationRefused.self) {
            _ = try await StoreMigration(from: target, to: try empty("other")).run()
        }
        let report = try await migration.run()
        #expect(report.parts.first { $0.name == "ledger" }?.rows == 3)
        #expect(try await target.unfinished == nil)
    }
}
