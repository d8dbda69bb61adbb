import Foundation
import GRDB
import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillPostgres
@testable import TillSQLite
@testable import TillShop

/// Counts what each operation writes, so that a change that writes more is noticed. `make bench` prints the same figures.
///
/// SQLite also writes the pages of the indexes. Each operation here is a commit of its own; concurrent
/// operations share their commits, and so also many of their pages.
@Suite("What is written")
struct WrittenRowsTests {
    /// What a customer, the time or an endpoint causes.
    enum Operation: String, CaseIterable {
        case purchase, purchaseWithToken, purchaseWithEndpoint
        case renewal, renewalWithToken, renewalWithEndpoint, delivery

        /// The rows that the operation writes, by table.
        var rows: [String: Int] {
            switch self {
            case .purchase, .purchaseWithToken: ["audit": 1, "accounts": 1, "ledger": 1, "outbox": 1]
            case .purchaseWithEndpoint: ["audit": 1, "accounts": 1, "ledger": 1, "outbox": 1, "deliveries": 1]
            case .renewal, .renewalWithToken: ["accounts": 1, "ledger": 1, "outbox": 1]
            case .renewalWithEndpoint: ["accounts": 1, "ledger": 1, "outbox": 1, "deliveries": 1]
            case .delivery: ["deliveries": 1]
            }
        }

        /// The pages of 8 KiB that the operation appends to the write-ahead log of SQLite, at most, on average.
        var pages: Double {
            switch self {
            case .purchase: 17
            // The index of the app account tokens.
            case .purchaseWithToken: 18
            case .purchaseWithEndpoint: 20
            case .renewal: 11
            case .renewalWithToken: 12
            case .renewalWithEndpoint: 14
            case .delivery: 7
            }
        }
    }

    private static let customers = (1...20).map { "customer-\($0)" }

    @Test(
        "An operation writes these rows in both engines, and at most these pages in SQLite",
        arguments: TestEngine.allCases
    )
    func writes(_ engine: TestEngine) async throws {
        try await expectWrites(on: engine, endpoint: nil)
        try await expectWrites(on: engine, endpoint: nil, withTokens: true)
        let post = try await WebhookReceiver.start { _ in .status(200) }
        try await expectWrites(on: engine, endpoint: post)
        try await post.stop()
    }

    private func expectWrites(on engine: TestEngine, endpoint post: WebhookReceiver?, withTokens: Bool = false)
        async throws
    {
        let test = try await TestShop(on: engine, selling: SampleCatalog.all)
        let shop = test.shop
        _ = try await shop.setClock(test.sandbox.clock, .freeze(at: nil))
        if let post {
            try await shop.setup.updateRules(of: test.sandbox.scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
        }
        for name in Self.customers { try await test.sandbox.open(name, in: "USA") }
        // The first purchase also stores the certificate chain that signs its notification.
        try await Self.buy("first", test, withTokens)
        let meter = try WriteMeter(test)
        defer { meter.close() }

        let purchase: Operation = withTokens ? .purchaseWithToken : post == nil ? .purchase : .purchaseWithEndpoint
        try await meter.expect(purchase, Self.customers.count) {
            for name in Self.customers { try await Self.buy(name, test, withTokens) }
        }
        if let post {
            let count = Self.customers.count + 1
            try await meter.expect(.delivery, count) {
                let worker = try test.startSending()
                await worker.dispatch(test.sandbox.clock)
                #expect(try await post.requests(atLeast: count).count == count)
                while try await shop.storage.pendingDeliveries(on: test.sandbox.clock, until: nil) > 0 {
                    try await Task.sleep(for: .milliseconds(5))
                }
                await test.stopSending(worker)
            }
        }
        let renewal: Operation = withTokens ? .renewalWithToken : post == nil ? .renewal : .renewalWithEndpoint
        try await meter.expect(renewal, Self.customers.count) {
            for name in Self.customers {
                let account = try #require(try await test.sandbox.account(of: name))
                let due = try #require(try await shop.storage.nextDue(of: account.id))
                try await shop.transact(.processDue, by: test.customer(name), at: due)
            }
        }
    }

    /// Buys as an operation of the control API does, with an audit record.
    private static func buy(_ name: String, _ test: TestShop, _ withToken: Bool) async throws {
        let record = AuditRecord(
            id: UUID().uuidString,
            at: test.now,
            caller: "test",
            operation: "buy",
            app: TestShop.bundleID,
            environment: "sandbox",
            customer: name,
            status: 201
        )
        _ = try await PendingAudit.$current.withValue(PendingAudit(record)) {
            let token = withToken ? UUID().uuidString : nil
            try await test.sandbox.buy("pro", by: name, token: token)
        }
    }
}

/// Counts the rows that a shop writes, with triggers, and the pages in the write-ahead log of SQLite.
private final class WriteMeter {
    private let sqlite: SQLiteStorage?
    private let postgres: Session?
    private let log: String

    /// The tables whose rows are counted. A reservation of identifiers serves many operations.
    private static let tables = ShopTable.allCases.map(\.rawValue) + ["audit", "journal"]

    init(_ test: TestShop) throws {
        sqlite = test.shop.storage as? SQLiteStorage
        postgres = try test.databaseURL.map { try Session(DatabaseURL($0), PostgresSettings()) }
        log = test.directory.database + "-wal"
        try postgres?.run(script: Self.postgresTriggers)
        try sqlite?.pool.writeWithoutTransaction { try $0.execute(sql: Self.sqliteTriggers) }
    }

    /// Another test uses the database next.
    func close() { _ = try? postgres?.run(script: "DROP SCHEMA IF EXISTS written CASCADE") }

    /// Expects that `count` operations write exactly the rows of their table, and no more than their pages.
    func expect(_ operation: WrittenRowsTests.Operation, _ count: Int, _ body: () async throws -> Void) async throws {
        try await sqlite?.pool.writeWithoutTransaction { db in
            try db.execute(sql: "UPDATE written SET number = 0")
            try db.checkpoint(.truncate)
        }
        try postgres?.run(script: "UPDATE written.written SET number = 0")
        try await body()
        let rows = try rows()
        #expect(rows == operation.rows.mapValues { $0 * count }, "\(operation)")
        guard sqlite != nil else { return }
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int ?? 0
        // The log has a header of 32 bytes, and each page a header of 24.
        let pages = Double(size - 32) / Double(24 + 8_192) / Double(count)
        #expect(pages <= operation.pages, "\(operation)")
    }

    private func rows() throws -> [String: Int] {
        let query = "SELECT name, number FROM written WHERE number > 0"
        let counted: [(String, Int)]
        if let postgres {
            counted = try postgres.run(script: "SET search_path = written, public; \(query)").map {
                (try $0.text(0), try #require(Int(try $0.text(1))))
            }
        } else {
            counted =
                try sqlite?.pool.writeWithoutTransaction { db in
                    try Row.fetchAll(db, sql: query).map { ($0[0] as String, $0[1] as Int) }
                } ?? []
        }
        return Dictionary(uniqueKeysWithValues: counted)
    }

    /// Triggers of the connection that writes. They are not stored in the file.
    private static let sqliteTriggers =
        "CREATE TEMP TABLE written (name TEXT PRIMARY KEY, number INTEGER);\n"
        + tables.map { table in
            "INSERT INTO written VALUES ('\(table)', 0);\n"
                + ["INSERT", "UPDATE", "DELETE"].map { event in
                    """
                    CREATE TEMP TRIGGER written_\(table)_\(event) AFTER \(event) ON main.\(table)
                    BEGIN UPDATE written SET number = number + 1 WHERE name = '\(table)'; END;
                    """
                }.joined(separator: "\n")
        }.joined(separator: "\n")

    private static let postgresTriggers =
        """
        CREATE SCHEMA written;
        CREATE TABLE written.written (name TEXT PRIMARY KEY, number BIGINT);
        CREATE FUNCTION written.count() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
            UPDATE written.written SET number = number + 1 WHERE name = TG_ARGV[0];
            RETURN NULL;
        END $$;

        """
        + tables.map { table in
            """
            INSERT INTO written.written VALUES ('\(table)', 0);
            CREATE TRIGGER written AFTER INSERT OR UPDATE OR DELETE ON \(table)
            FOR EACH ROW EXECUTE FUNCTION written.count('\(table)');
            """
        }.joined(separator: "\n")
}
