import Testing
import TillStorage
import TillTestSupport

@testable import TillPostgres

/// Counts the rows that PostgreSQL visits for a search, in a database with few customers and with many. The same is
/// tested for SQLite by the pages of the console that show these searches.
@Suite("A search in PostgreSQL visits as many rows with many customers as with few")
struct PostgresSearchCostTests {
    /// The rows that every node of the plan returned or filtered out.
    private func visited(_ statement: CommonStatement, _ arguments: String, _ session: Session) throws -> Int {
        let sent = SentCommonStatement(statement: statement)
        try session.prepare([sent])
        let lines = try session.run(
            script: "EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) EXECUTE \"\(sent.name)\"(\(arguments))"
        ).map { try $0.text(0) }
        #expect(!lines.contains { $0.contains("Seq Scan") }, "\(lines.joined(separator: "\n"))")
        return lines.reduce(0) { sum, line in
            let returned = line.firstMatch(of: /actual rows=([0-9.]+) loops=([0-9]+)/).map { match in
                Int((Double(match.1) ?? 0) * (Double(match.2) ?? 0))
            }
            let removed = line.firstMatch(of: /Rows Removed by .*: ([0-9]+)/).flatMap { Int($0.1) }
            return sum + (returned ?? 0) + (removed ?? 0)
        }
    }

    private func costs(customers: Int) throws -> [String: Int] {
        let database = try StorageFixture.database()
        let session = try Session(DatabaseURL(database.url), PostgresSettings())
        try session.run(
            script: """
                INSERT INTO accounts
                    (partition, account, realm, app, customer, version, change_number, row_count, state)
                SELECT n % 1024, n, 'sandbox', 'com.example', 'c' || lpad(n::text, 7, '0'), 1, 0, 0, '{}'
                FROM generate_series(1, \(customers)) n;
                INSERT INTO ledger (partition, account, change, id, original_id, product, type, purchase_date,
                    original_purchase_date, quantity, ownership, reason, storefront, is_upgraded, is_finished,
                    modified_date, app_account_token)
                SELECT n % 1024, n, 1, n, n, 'p', 'C', 0, 0, 1, 'P', 'P', 'USA', 0, 0, 0, 'token ' || (n / 10)
                FROM generate_series(1, \(customers)) n;
                ANALYZE accounts; ANALYZE ledger
                """
        )
        func names(_ prefix: String) -> String {
            "'sandbox', 'com.example', '\(prefix)', 0, '\(prefix)', '\(prefix)\u{10FFFF}', 51"
        }
        let costs = [
            "few": try visited(.customersByPrefix, names("c000012"), session),
            "page": try visited(.customersByPrefix, names("c0000"), session),
            "none": try visited(.customersByPrefix, names("x"), session),
            "token": try visited(.ownersOfToken, "'token 12', 0, 51", session),
        ]
        withExtendedLifetime(database) {}
        return costs
    }

    @Test("Names and tokens are found with index ranges")
    func costs() throws {
        let few = try costs(customers: 1_000)
        let many = try costs(customers: 20_000)
        #expect(few["token"] ?? 0 >= 10)
        for (name, before) in few {
            let after = try #require(many[name])
            #expect(after <= before * 11 / 10 + 20, "\(name): \(before) and \(after) rows")
        }
    }
}
