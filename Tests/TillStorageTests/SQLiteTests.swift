import Foundation
import GRDB
import GRDBSQLite
import Testing
import TillCore
import TillStorage

@testable import TillSQLite

@Suite("The SQLite engine")
struct SQLiteTests {
    private func folder() throws -> String {
        let folder = NSTemporaryDirectory() + "till-sqlite-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test("SQLite syncs each acknowledged commit: WAL, synchronous FULL, pages of 8192 bytes, foreign keys on")
    func settings() async throws {
        let storage = try SQLiteStorage(path: try folder() + "/till.sqlite")
        let values = try await storage.pool.write { db in
            try ["synchronous", "journal_mode", "page_size", "foreign_keys"].map {
                try String.fetchOne(db, sql: "PRAGMA \($0)") ?? ""
            }
        }
        #expect(values == ["2", "wal", "8192", "1"])
    }

    @Test("A commit that waits too long for another program's lock fails temporarily; a damaged file does not")
    func temporary() {
        func isTemporary(_ code: ResultCode) -> Bool {
            if case .temporary = CommitFailure(DatabaseError(resultCode: code)) { true } else { false }
        }
        #expect(isTemporary(.SQLITE_BUSY) && isTemporary(.SQLITE_BUSY_SNAPSHOT))
        #expect(!isTemporary(.SQLITE_CORRUPT))
    }

    @Test("A transaction of the ledger cannot be stored without its account")
    func foreignKeys() async throws {
        let fixture = try StorageFixture(.sqlite)
        let missing = fixture.account("missing", number: 1)
        let change = Change(accounts: [], rows: [TransactionChange(before: nil, after: fixture.row(missing, 1))])
        if case .success = await fixture.storage.commit([change])[0] {
            Issue.record("a row without an account was committed")
        }
    }

    @Test("The five-hundredth page of a history costs as much as the first, in steps of SQLite's virtual machine")
    func pageCost() async throws {
        let fixture = try StorageFixture(.sqlite)
        let before = fixture.account("ann", number: 1)
        let rows = (1...10_000).map { fixture.row(before, Int64($0)) }
        let ann = try await fixture.commit(before, rows: rows)
        let storage = try #require(fixture.storage as? SQLiteStorage)
        for isAscending in [true, false] {
            let steps = try await storage.pool.read { db in
                try [1, 500].map { page in
                    let skipped = Int64((page - 1) * 20)
                    let position = isAscending ? skipped : 10_001 - skipped
                    let query = HistoryQuery(account: ann.id, position: position, isAscending: isAscending)
                    let (sql, values) = SQLiteStorage.statement(for: query)
                    let statement = try db.makeStatement(sql: sql)
                    let count = try Row.fetchAll(statement, arguments: values.arguments).count
                    #expect(count == (page == 1 ? 21 : 20))
                    return Int(sqlite3_stmt_status(statement.sqliteStatement, SQLITE_STMTSTATUS_VM_STEP, 0))
                }
            }
            // The last page has no next row to look for, so it reads one row fewer than the first page.
            let perRow = [Double(steps[0]) / 21, Double(steps[1]) / 20]
            #expect(abs(perRow[1] / perRow[0] - 1) < 0.1, "steps of page 1 and 500: \(steps)")
            #expect(abs(Double(steps[1]) / Double(steps[0]) - 1) < 0.1, "steps of page 1 and 500: \(steps)")
        }
    }

    @Test("Each query for history or refunds reads one range of an index")
    func plans() async throws {
        let fixture = try StorageFixture(.sqlite)
        let ann = try await fixture.commit(fixture.account("ann", number: 1), rows: [])
        let storage = try #require(fixture.storage as? SQLiteStorage)
        for isAscending in [true, false] {
            let query = HistoryQuery(account: ann.id, position: 5, isAscending: isAscending)
            let plan = try await storage.pool.read { db in
                let (sql, values) = SQLiteStorage.statement(for: query)
                return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: values.arguments)
                    .map { $0["detail"] as String }
            }
            #expect(plan.count == 1)
            #expect(plan[0].contains("SEARCH ledger USING PRIMARY KEY"))
            #expect(!plan.joined().contains("TEMP B-TREE"))
        }
    }

    private static let documents: [(DocumentKind, String, String)] = [
        (.team, "team", "{}"), (.app, "com.example", "{}"), (.catalog, "com.example", "{}"),
        (.rules, "sandbox/com.example", "{}"), (.clock, "sandbox/com.example#own", #"{"app":"com.example"}"#),
        (.job, "1", #"{"app":"com.example"}"#), (.key, "KEY", #"{"offersOf":"com.example"}"#),
    ]

    @Test("The tables of each earlier version are migrated with their rows", arguments: Migrations.all.migrations)
    func migrations(_ version: String) async throws {
        let path = try folder() + "/till.sqlite"
        let old = try DatabasePool(path: path)
        try Migrations.all.migrate(old, upTo: version)
        let fixture = try StorageFixture(.sqlite)
        let new = fixture.account("ann", number: 1)
        let ann = try await fixture.commit(new, rows: [fixture.row(new, 1)])
        let state = try ann.storedState()
        // Every version has the columns of the first version. The row fills all of them, and no later ones.
        let first = 33
        let columns = Transaction.format.list.split(separator: ",").prefix(first).joined(separator: ",")
        let today = try #require(fixture.storage as? SQLiteStorage)
        let later = Transaction.format.columns.dropFirst(first).map { "\($0.name) = NULL" }.joined(separator: ", ")
        if !later.isEmpty { try await today.pool.write { try $0.execute(sql: "UPDATE ledger SET \(later)") } }
        let row = try #require(try await today.transaction(fixture.row(ann, 1).id))
        let values = try await today.pool.read { db in
            Array(try #require(try Row.fetchOne(db, sql: "SELECT \(columns) FROM ledger")).databaseValues)
        }
        try await old.write { db in
            for (kind, name, body) in Self.documents {
                try db.execute(
                    sql: "INSERT INTO documents (kind, name, body) VALUES (?, ?, ?)",
                    arguments: [kind.rawValue, name, body]
                )
            }
            try db.execute(sql: "UPDATE identifiers SET next = 77")
            try db.execute(
                sql: """
                    INSERT INTO accounts
                        (partition, account, realm, app, customer, version, change_number, row_count, state)
                    VALUES (?, ?, 'sandbox', 'com.example', 'ann', 1, 1, 1, ?)
                    """,
                arguments: [ann.id.partition.number, ann.id.number, state]
            )
            let places = Array(repeating: "?", count: first).joined(separator: ", ")
            try db.execute(
                sql: "INSERT INTO ledger (\(columns)) VALUES (\(places))",
                arguments: StatementArguments(values)
            )
            if try db.tableExists("snapshots") {
                try db.execute(sql: "INSERT INTO snapshots (name, app, saved_at) VALUES ('s', NULL, 5)")
                try db.execute(sql: "INSERT INTO snapshot_accounts SELECT 's', * FROM accounts")
            }
            guard try db.tableExists("outbox") else { return }
            try db.run([StatementStep(.insertEntry, try Self.entry(of: ann).cells())])
        }
        let hasOutbox = try await old.read { try $0.tableExists("outbox") }
        let hasCounts = try await old.read {
            try $0.tableExists("snapshots") && $0.columns(in: "snapshots").contains { $0.name == "customers" }
        }
        let hasOwners = try await old.read { try $0.columns(in: "documents").contains { $0.name == "app" } }
        try old.close()
        let storage = try SQLiteStorage(path: path)
        // The migration counts the rows of snapshots unless the earlier tables already contain the counts.
        let counts = try await storage.snapshots().map(\.customers)
        #expect(counts == (!hasOwners ? [] : [hasCounts ? 0 : 1]))
        if !hasOwners {
            for (kind, _, _) in Self.documents {
                #expect(try await storage.documents(kind).map(\.app) == [kind == .team ? nil : "com.example"])
            }
        }
        #expect(try await storage.account(ann.id) == ann)
        #expect(try await storage.history(HistoryQuery(account: ann.id)).rows == [row])
        #expect(try await storage.transaction(row.id) == row)
        if let order = row.order { #expect(try await storage.transactions(in: order) == [row]) }
        let notifications = hasOutbox ? [Self.entry(of: ann)] : []
        #expect(try await storage.notification(Self.entry(of: ann).id) == notifications.first)
        #expect(try await storage.notifications(NotificationQuery(scope: StorageFixture.scope)) == notifications)
        #expect(try await storage.reserveIdentifiers(1).lowerBound == 77)
        #expect(try await storage.documents(.app).map(\.name) == ["com.example"])
        #expect(try await storage.requestLog(limit: 1).isEmpty)
        #expect(try await storage.pool.read { try Migrations.all.hasCompletedMigrations($0) })
    }

    private static func entry(of account: Account) -> OutboxEntry {
        OutboxEntry(
            id: NotificationID(9 * 1_024 + account.id.partition.number),
            scope: StorageFixture.scope,
            account: account.id,
            original: TransactionID(1),
            transaction: TransactionID(2),
            uuid: "uuid",
            type: "DID_RENEW",
            subtype: "BILLING_RECOVERY",
            isTriggered: true,
            signedDate: Timestamp(milliseconds: 7),
            content: .signed(
                NotificationParts(
                    body: SignedPart(payload: [1, 2], signature: [3]),
                    transactionInfo: SignedPart(payload: [4], signature: [5]),
                    renewalInfo: SignedPart(payload: [6], signature: [7])
                ),
                chain: "chain"
            )
        )
    }

    @Test("A transaction, an order or a notification is found by its number alone")
    func numbers() async throws {
        let storage = try SQLiteStorage(path: try folder() + "/till.sqlite")
        let plans = try await storage.pool.read { db in
            try [
                "SELECT * FROM outbox WHERE id = 1", "SELECT * FROM ledger WHERE id = 1",
                "SELECT * FROM ledger WHERE order_number = 1",
            ].map { sql in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
        }
        #expect(
            plans == [
                ["SEARCH outbox USING INDEX outbox_by_id (id=?)"],
                ["SEARCH ledger USING INDEX ledger_by_id (id=?)"],
                ["SEARCH ledger USING INDEX ledger_by_order (order_number=?)"],
            ]
        )
    }

    @Test("Tables of a newer version are rejected, and the error names the next step")
    func newer() async throws {
        let path = try folder() + "/till.sqlite"
        var migrator = Migrations.all
        migrator.registerMigration("999 from the future") { _ in }
        let pool = try DatabasePool(path: path)
        try migrator.migrate(pool)
        try pool.close()
        #expect(throws: StoreRefused.self) { try SQLiteStorage(path: path) }
        #expect(throws: StoreRefused.self) { try SQLiteStorage(examining: path) }
    }

    @Test("A file of another program is rejected and left unchanged; an empty file is reported as empty")
    func foreign() async throws {
        let path = try folder() + "/till.sqlite"
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: "CREATE TABLE books (id INTEGER)") }
        try queue.close()
        let before = FileManager.default.contents(atPath: path)
        for open in [{ try SQLiteStorage(path: path) }, { try SQLiteStorage(examining: path) }] {
            let refused = #expect(throws: StoreRefused.self) { try open() }
            guard case .notTills(_, "books") = try #require(refused) else {
                Issue.record("\(refused as Any)")
                continue
            }
        }
        #expect(FileManager.default.contents(atPath: path) == before)
        let empty = try folder() + "/till.sqlite"
        try Data().write(to: URL(fileURLWithPath: empty))
        let refused = #expect(throws: StoreRefused.self) { try SQLiteStorage(examining: empty) }
        guard case .empty = try #require(refused) else {
            Issue.record("\(refused as Any)")
            return
        }
    }

    @Test("A file that SQLite cannot read is reported as damaged, and left unchanged")
    func unreadable() async throws {
        let path = try folder() + "/till.sqlite"
        let before = Data(repeating: 0x5A, count: 16_384)
        try before.write(to: URL(fileURLWithPath: path))
        for open in [{ try SQLiteStorage(path: path) }, { try SQLiteStorage(examining: path) }] {
            let refused = #expect(throws: StoreRefused.self) { try open() }
            guard case .damaged(path, _) = try #require(refused) else {
                Issue.record("\(refused as Any)")
                continue
            }
        }
        #expect(FileManager.default.contents(atPath: path) == before)
    }

    @Test("A full disk is reported as a temporary error, and nothing of the change is stored")
    func full() async throws {
        let path = try folder() + "/till.sqlite"
        let storage = try SQLiteStorage(path: path)
        let body = String(repeating: "x", count: 100_000)
        try await storage.pool.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages + 2)")
        }
        let document = Document(kind: .job, name: "big", body: body)
        let error = await #expect(throws: DatabaseError.self) { try await storage.put([document]) }
        #expect(try #require(error).isTransient)
        #expect(try #require(error).passingWords == "The disk is full")
        let results = await storage.commit([Change(documents: [document]), Change(documents: [document])])
        for result in results {
            guard case .failure(.diskFull) = result else {
                Issue.record("\(result)")
                continue
            }
        }
        #expect(try await storage.documents(.job).isEmpty)
        try await storage.close()
    }

    @Test("A backup that is taken while the engine is in use is complete and can be opened")
    func backup() async throws {
        let fixture = try StorageFixture(.sqlite)
        let ann = fixture.account("ann", number: 1)
        let rows = (1...50).map { fixture.row(ann, Int64($0)) }
        _ = try await fixture.commit(ann, rows: rows)
        let path = fixture.folder + "/copy.sqlite"
        try await fixture.storage.backup(to: path)
        let copy = try SQLiteStorage(path: path)
        #expect(try await copy.history(HistoryQuery(account: ann.id, limit: 100)).rows == rows)
        #expect(try await copy.examine().isEmpty)
        await #expect(throws: StoreRefused.self) { try await fixture.storage.backup(to: path) }
    }
}
