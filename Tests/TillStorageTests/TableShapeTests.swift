import GRDB
import Testing
import TillStorage

@testable import TillSQLite

@Suite("The tables that backups copy match the tables of each engine")
struct TableShapeTests {
    @Test("Every column of every table is copied with its type", arguments: ShopTable.allCases)
    func columns(_ table: ShopTable) async throws {
        let fixture = try StorageFixture(.sqlite)
        let pool = try #require(fixture.storage as? SQLiteStorage).pool
        let kinds: [String: ShopTable.Column.Kind] = [
            "INTEGER": .integer, "BIGINT": .integer, "TEXT": .text, "BLOB": .bytes,
        ]
        let (found, copied) = try await pool.read { db in
            let found = try db.columns(in: table.rawValue).map {
                ShopTable.Column(name: $0.name, kind: kinds[$0.type] ?? .text, isOptional: !$0.isNotNull)
            }
            return (found, try db.columns(in: "snapshot_\(table.rawValue)").map(\.name))
        }
        #expect(Set(found.map(\.name)) == Set(table.columns.map(\.name)))
        #expect(found.sorted { $0.name < $1.name } == table.columns.sorted { $0.name < $1.name })
        #expect(Set(copied) == Set(table.columns.map(\.name) + ["snapshot"]))
        #expect(Set(table.key).isSubset(of: table.columns.map(\.name)))
    }
}
