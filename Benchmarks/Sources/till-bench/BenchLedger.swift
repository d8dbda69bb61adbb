import Foundation

/// A shop whose customers all have the same number of transactions. A backend queries some of these customers.
struct Ledger {
    private let bench: Workbench
    /// A data directory that no server uses. `server` uses it, or a copy of it.
    let folder: String
    let key: BackendKey
    /// The paths of full history pages. The customers are the same in a ledger of any size.
    let pages: [String]
    let transactions: Int

    /// Creates forty customers who have been subscribers for two years.
    init(on bench: Workbench) async throws {
        self.bench = bench
        folder = bench.place("ledger")
        transactions = Scale.transactions
        let server = try await TillServer(bench, on: folder)
        defer { server.stop() }
        key = try await server.control.setUp()
        // A subscription that was bought twenty-four months and some days ago has renewed twenty-four times.
        let start = Int64(Date().timeIntervalSince1970 * 1_000) - 745 * 86_400_000
        var pages: [String] = []
        for number in 0..<Scale.customers {
            let id = try await server.control.buy("pro", by: "subscriber-\(number)", at: start)
            pages.append("/inApps/v2/history/\(id)")
        }
        self.pages = pages
        let token = try key.token()
        for page in pages { try Self.check(try await server.body(of: page, token: token)) }
    }

    private init(_ small: Ledger, folder: String, transactions: Int) {
        bench = small.bench
        key = small.key
        pages = small.pages
        self.folder = folder
        self.transactions = transactions
    }

    /// Checks that a page contains twenty signed transactions and that another page follows.
    private static func check(_ page: [UInt8]) throws {
        let json = try JSONSerialization.jsonObject(with: Data(page)) as? [String: Any]
        guard (json?["signedTransactions"] as? [String])?.count == 20, json?["hasMore"] as? Bool == true else {
            throw BenchRefused("a page is not full: \(String(decoding: page.prefix(300), as: UTF8.self))")
        }
    }

    /// The accounts whose history pages are requested.
    static func accounts(in file: SQLiteFile) throws -> [Int64] {
        try file.integers("SELECT account FROM accounts ORDER BY account LIMIT \(Scale.customers)")
    }

    // MARK: A large ledger

    /// A ledger with copies of all accounts and transactions. The copies are inserted in chronological order, so that
    /// the pages of the B-tree are as full as in a real ledger.
    func multiplied(by copies: Int) async throws -> Ledger {
        Progress.say("\(copies * transactions) transactions are created")
        let large = try bench.copy(folder, as: "large-ledger")
        let file = try SQLiteFile(large + "/till.sqlite")
        try file.run("PRAGMA synchronous = OFF; PRAGMA cache_size = -1000000; PRAGMA foreign_keys = OFF")
        // An id is the sum of a base, 1,024 times a counter, and the partition. A different counter therefore gives an
        // id of the same partition.
        let step = (try file.integers("SELECT next FROM identifiers WHERE series = 'all'").first ?? 0) * 1_024
        let columns = try file.texts("SELECT name FROM pragma_table_info('ledger')")
        let numbers =
            "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < \(copies - 1))"
        func copied(_ column: String, moving moved: Set<String>) -> String {
            moved.contains(column) ? "\(column) + n * \(step)" : column
        }
        let moved: Set = ["account", "id", "original_id", "order_number", "line_item"]
        let values = columns.map { copied($0, moving: moved) }.joined(separator: ", ")
        let accountColumns = try file.texts("SELECT name FROM pragma_table_info('accounts')")
        let accountValues = accountColumns.map { column in
            switch column {
            case "customer": "customer || '-' || n"
            // The copies have no scheduled events.
            case "next_due": "NULL"
            default: copied(column, moving: ["account"])
            }
        }
        try file.run(
            """
            BEGIN;
            \(numbers) INSERT INTO accounts (\(accountColumns.joined(separator: ", ")))
                SELECT \(accountValues.joined(separator: ", ")) FROM accounts CROSS JOIN numbers;
            COMMIT;
            """
        )
        for change in try file.integers("SELECT DISTINCT change FROM ledger ORDER BY change") {
            try file.run(
                """
                BEGIN;
                \(numbers) INSERT INTO ledger (\(columns.joined(separator: ", ")))
                    SELECT \(values) FROM ledger CROSS JOIN numbers WHERE change = \(change);
                COMMIT;
                """
            )
        }
        try file.run("UPDATE identifiers SET next = next * \(copies + 1); PRAGMA wal_checkpoint(TRUNCATE)")
        guard try file.integers("SELECT count(*) FROM ledger").first == Int64(copies * transactions) else {
            throw BenchRefused("the large ledger has the wrong number of rows")
        }
        return Ledger(self, folder: large, transactions: copies * transactions)
    }

    // MARK: Servers for the ledger

    /// Starts Till with this ledger, or with a copy if several servers must run at the same time.
    func server(copied: Bool = false, _ arguments: [String] = []) async throws -> TillServer {
        let place = copied ? try bench.copy(folder, as: "ledger") : folder
        return try await TillServer(bench, on: place, arguments)
    }

    /// Starts Till with the same ledger in PostgreSQL, or with a copy if several servers must run at the same time.
    /// PostgreSQL and the load share a core.
    func postgresServer(copied: Bool = false, _ arguments: [String] = []) async throws -> TillServer {
        let postgres = try bench.postgres()
        try postgres.move(to: .second)
        let migrated = try onPostgres()
        let database = copied ? try postgres.database(like: migrated) : migrated
        // This folder contains the keys and certificates; the transactions are in PostgreSQL.
        let keys = bench.place("keys")
        try FileManager.default.createDirectory(atPath: keys, withIntermediateDirectories: true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) where !name.hasPrefix("till.") {
            try FileManager.default.copyItem(atPath: "\(folder)/\(name)", toPath: "\(keys)/\(name)")
        }
        return try await TillServer(bench, on: keys, database: database, arguments)
    }

    /// Migrates the ledger to PostgreSQL at the first call, and returns the URL of its database.
    private func onPostgres() throws -> String {
        if let migrated = bench.migrated[transactions] { return migrated }
        Progress.say("\(transactions) transactions are copied to PostgreSQL")
        let postgres = try bench.postgres()
        let url = try postgres.database()
        let command = [bench.till, "migrate", "--from", "sqlite:\(folder)", "--to", "database"]
        _ = try Program.output(command, environment: ["TILL_DATABASE": url], withErrors: true)
        try postgres.run("VACUUM ANALYZE", in: url)
        try postgres.run("CHECKPOINT", in: url)
        bench.migrated[transactions] = url
        return url
    }

    /// The pages of this ledger per second that PostgreSQL can be asked for, by pgbench in the place of Till. It is as
    /// `Limit.PageReads` of SQLite.
    func postgresReads() throws -> Double {
        let postgres = try bench.postgres()
        let accounts = try Self.accounts(in: try SQLiteFile("\(folder)/till.sqlite", isReadOnly: true))
        let scripts = bench.place("reads")
        return try postgres.pageReads(of: accounts, seconds: bench.scale.seconds, scripts, in: onPostgres())
    }

    /// The requests of a backend for these pages, with one token or with a new token for each request.
    func script(freshTokens count: Int = 1) throws -> Load.Script {
        try Load.Script(bench, pages: pages, tokens: try (0..<count).map { _ in try key.token() })
    }
}
