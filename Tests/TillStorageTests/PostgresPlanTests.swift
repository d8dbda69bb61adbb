import Testing
import TillStorage
import TillTestSupport

@testable import TillPostgres

/// Reads PostgreSQL's query plan of each statement of the engine, with the plan that is cached for all values.
@Suite("Each statement for PostgreSQL reads one partition, or has a reason to read more")
struct PostgresPlanTests {
    /// Plans do not depend on the rows of a table, so one database is enough for all of them.
    private static let database = Result { try StorageFixture.database() }
    private let session: Session

    init() throws {
        session = try Session(DatabaseURL(try Self.database.get().url), PostgresSettings())
    }

    /// The lines of a statement's plan. Every parameter is 5, so that its partition exists.
    private func plan(of statement: some SentStatement) throws -> [String] {
        try session.prepare([statement])
        let question = "SELECT parameter_types::text FROM pg_prepared_statements WHERE name = '\(statement.name)'"
        let types = try #require(try session.run(script: question).first?.maybeText(0))
        let values = types.trimmingPrefix("{").dropLast().split(separator: ",").map { type in
            switch type {
            case "bigint": "5"
            case "text": "'x'"
            case "bytea": "'x'"
            case "text[]": "'{x}'"
            default: "an unexpected \(type)"
            }
        }
        let list = values.isEmpty ? "" : "(\(values.joined(separator: ", ")))"
        return try session.run(script: "EXPLAIN (COSTS OFF) EXECUTE \"\(statement.name)\"\(list)").map {
            try $0.text(0)
        }
    }

    /// The numbers of the physical partitions that a plan reads. A plan can write only to partitions that it reads.
    private func partitions(in plan: [String]) -> Set<String> {
        Set(
            plan.filter { $0.contains("Scan") }.flatMap { line in
                line.matches(of: /(?:accounts|ledger|outbox|deliveries)_p([0-9]{2})\b/).map { String($0.1) }
            }
        )
    }

    /// Whether a plan sorts rows after reading them. Merging ranges that are already sorted does not count.
    private func isSorted(_ plan: [String]) -> Bool {
        plan.contains { $0.contains(/(^|->) *(Incremental )?Sort\b/) && !$0.contains("Sort Key") }
    }

    @Test("A statement reads one partition by an index, in the order of the index", arguments: Statement.allCases)
    func reach(_ statement: Statement) throws { try expectReach(of: statement) }

    @Test("A statement of both engines reads one partition by an index, too", arguments: CommonStatement.allCases)
    func reach(_ statement: CommonStatement) throws {
        try expectReach(of: SentCommonStatement(statement: statement))
    }

    private func expectReach(of statement: some SentStatement) throws {
        switch statement.reach {
        case .unpartitioned:
            let partitioned = /\b(accounts|ledger|outbox|deliveries)\b/
            #expect(statement.sql.firstMatch(of: partitioned) == nil)
        case .onePartition:
            let plan = try plan(of: statement)
            let text = plan.joined(separator: "\n")
            if plan[0].hasPrefix("Insert on") {
                #expect(
                    statement.sql.contains("(partition, ") && plan[1...].allSatisfy { $0.contains("Result") },
                    "\(text)"
                )
            } else {
                #expect(partitions(in: plan).count == 1, "\(text)")
                #expect(statement.sql.contains(#/partition (=|>=) \$/#))
            }
            #expect(!text.contains("Seq Scan") && !isSorted(plan), "\(text)")
            if statement.name.contains("ForAccount") {
                #expect(text.contains("Index Cond: ((account = "), "\(text)")
            }
        case .sweep(let reason):
            let plan = try plan(of: statement)
            let text = plan.joined(separator: "\n")
            #expect(partitions(in: plan).count == Tables.physicalPartitions, "\(text)")
            guard reason != "the doctor reads everything" else { return }
            #expect(!text.contains("Seq Scan") && !isSorted(plan), "\(text)")
            // A loop over the logical partitions reads one physical partition each time.
            let isLoop = text.contains("Index Cond: ((partition = n.n)")
            if statement.sql.contains("ORDER BY"), !isLoop { #expect(text.contains("Merge Append"), "\(text)") }
        }
    }

    @Test("A reset reads whole tables, or only tables without partitions", arguments: TableStatement.allCases)
    func tableStatements(_ statement: TableStatement) throws {
        let plan = try plan(of: statement)
        let isSweep = if case .sweep = statement.reach { true } else { false }
        if statement.operation == .first || statement.operation == .next {
            #expect(!plan.contains { $0.contains("Seq Scan") } && !isSorted(plan), "\(plan.joined(separator: "\n"))")
        }
        if isSweep, statement.operation != .restore {
            #expect(partitions(in: plan).count == Tables.physicalPartitions, "\(plan.joined(separator: "\n"))")
        } else {
            #expect(partitions(in: plan).isEmpty, "\(plan.joined(separator: "\n"))")
        }
    }

    @Test("A statement without its partition is detected")
    func found() throws {
        let plan = try session.run(script: "EXPLAIN (COSTS OFF) SELECT * FROM ledger WHERE id = 5").map {
            try $0.text(0)
        }
        #expect(partitions(in: plan).count == Tables.physicalPartitions)
    }

    @Test("The logical partitions are spread evenly over the physical partitions")
    func layout() throws {
        let database = try StorageFixture.database()
        let session = try Session(DatabaseURL(database.url), PostgresSettings())
        let counted = try session.run(
            script: """
                INSERT INTO accounts
                    (partition, account, realm, app, customer, version, change_number, row_count, state)
                SELECT p, p, 'sandbox', 'com.example', p::text, 1, 0, 0, '{}' FROM generate_series(0, 1023) p;
                SELECT tableoid::regclass::text, count(*) FROM accounts GROUP BY 1 ORDER BY 1
                """
        ).map { (try $0.text(0), try $0.text(1)) }
        #expect(counted.count == Tables.physicalPartitions)
        #expect(counted.allSatisfy { $0.1 == "32" })
        #expect(counted.first?.0 == "accounts_p00")
        withExtendedLifetime(database) {}
    }
}
