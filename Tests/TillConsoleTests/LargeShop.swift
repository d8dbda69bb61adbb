import Foundation
import GRDB
import Testing
import TillControl
import TillCore
import TillServer
import TillShop
import TillStorage
import TillTestSupport

@testable import TillConsole
@testable import TillSQLite

/// A large shop: the rows of one real customer are copied with new names and identifiers.
enum LargeShop {
    static let customer = "ann"
    static let scope = ["bundleId": TestShop.bundleID, "environment": "sandbox"]

    static func make(customers: Int, notifications: Int) async throws -> TestConsole {
        let test = try await TestShop(selling: SampleCatalog.all)
        let site = try TestConsole(test)
        let control = site.console.control
        let app = AppEnvironment(TestShop.bundleID)
        _ = try await control.send(SetEndpoint(app: app, endpoint: "primary", url: "http://127.0.0.1:9/"))
        // The rows of the second snapshot are those of the filled shop.
        for name in ["empty", "equal"] { _ = try await control.send(SaveSnapshot(name: name)) }
        _ = try await test.buy("pro", by: customer)
        let sent = try await test.shop.storage.notifications(Self.query())
        let newest = try #require(sent.first)
        var deliveries = try await test.shop.storage.deliveries(of: newest.id)
        for index in deliveries.indices {
            let attempt = SendAttempt(date: test.now, result: .timedOut, milliseconds: 5, status: nil)
            deliveries[index].attempts.append(attempt)
        }
        try await test.shop.storage.record(deliveries)
        let pool = try #require(test.shop.storage as? SQLiteStorage).pool
        try await pool.writeWithoutTransaction { db in
            // The data need not survive a crash.
            try db.execute(sql: "PRAGMA synchronous = OFF")
            try db.inTransaction {
                try fill(db, customers, notifications)
                return .commit
            }
        }
        return site
    }

    private static func query() -> NotificationQuery {
        NotificationQuery(scope: AccountScope(environment: .sandbox, app: TestShop.bundleID))
    }

    private static func fill(_ db: Database, _ customers: Int, _ notifications: Int) throws {
        let tables = ["accounts", "ledger", "outbox", "deliveries"]
        // Creating an index on a full table is faster than updating it for each row.
        let indexes = try Row.fetchAll(db, sql: "SELECT tbl_name, name, sql FROM sqlite_master WHERE type = 'index'")
            .filter { tables.contains($0[0]) && ($0[2] as String?) != nil }
        for index in indexes { try db.execute(sql: "DROP INDEX \(index[1] as String)") }
        let (account, later) = ("account + (1000000 + i) * 1024", "+ (2000000 + i) * 1024")
        let owner = "account + (1000000 + i % \(customers)) * 1024"
        try copy("accounts", customers, db, where: "customer = '\(customer)'") {
            [
                "account": account, "customer": "printf('c%07d', i)",
                "state": "json_set(state, '$.customer', printf('c%07d', i), '$.id', \(account))",
            ]
        }
        try copy("ledger", customers, db, where: "true") {
            [
                "account": account, "id": "id \(later)", "original_id": "id \(later)",
                "order_number": "order_number \(later)",
                "app_account_token": "printf('%08x-1111-4000-8000-000000000000', i / 10)",
            ]
        }
        // The five oldest notifications have a rare type.
        let type = "CASE WHEN i > \(notifications) - 5 THEN 'REFUND' ELSE type END"
        try copy("outbox", notifications, db, where: "account IS NOT NULL") {
            [
                "id": "id \(later)", "account": owner, "uuid": "printf('%08x-0000-4000-8000-%012x', i, i)",
                "signed_date": "signed_date - i", "type": type, "body": "x'7b7d'", "transaction_info": "NULL",
                "transaction_signature": "NULL", "renewal_info": "NULL", "renewal_signature": "NULL",
            ]
        }
        try copy("deliveries", notifications, db, where: "account IS NOT NULL") {
            [
                "notification": "notification \(later)", "account": owner, "signed_date": "signed_date - i",
                "type": type, "due": "CASE WHEN i % 5 = 0 THEN due END", "is_delivered": "i % 5 <> 0",
            ]
        }
        for index in indexes { try db.execute(sql: index[2]) }
        for table in ["accounts", "ledger", "outbox"] {
            let columns = try db.columns(in: table).map(\.name).joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO snapshot_\(table) (snapshot, \(columns)) SELECT 'equal', \(columns) FROM \(table)"
            )
        }
    }

    /// Copies one row of a table several times, with changes to some columns.
    private static func copy(
        _ table: String,
        _ count: Int,
        _ db: Database,
        where condition: String,
        _ changes: () -> [String: String]
    ) throws {
        let columns = try db.columns(in: table).map(\.name)
        let changes = changes()
        let values = columns.map { changes[$0] ?? $0 }.joined(separator: ", ")
        try db.execute(
            sql: """
                INSERT INTO \(table) (\(columns.joined(separator: ", ")))
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                SELECT \(values) FROM n CROSS JOIN (SELECT * FROM \(table) WHERE \(condition) LIMIT 1)
                """
        )
    }
}
