import GRDB
import Testing
import TillCore
import TillStorage

@testable import TillSQLite

@Suite("SQLite reads the notification history from its indexes")
struct SQLiteOutboxTests {
    @Test("A query with any filter reads one range of an index, in the order of the index")
    func plans() async throws {
        let fixture = try StorageFixture(.sqlite)
        let ann = try #require(try await NotificationSample.notifications(fixture).first { $0.entry.account != nil })
        let storage = try #require(fixture.storage as? SQLiteStorage)
        for query in NotificationSample.queries {
            for (onlyFailures, account, isLater) in [
                (false, nil, false), (true, nil, false), (false, ann.entry.account, false),
                (true, ann.entry.account, false), (false, nil, true), (true, ann.entry.account, true),
            ] as [(Bool, AccountID?, Bool)] {
                var query = query
                query.onlyFailures = onlyFailures
                query.account = account
                if isLater { query.after = (ann.entry.signedDate, ann.entry.id) }
                let wanted = query
                let plan = try await storage.pool.read { db in
                    let (sql, arguments) = SQLiteStorage.statement(for: wanted)
                    return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments.arguments)
                        .map { $0["detail"] as String }
                }
                let steps = plan.joined(separator: "; ")
                #expect(!steps.contains("TEMP B-TREE"), "\(steps)")
                #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") || $0 == "SCAN page" }, "\(steps)")
                // The date limits the range, whatever columns precede it in the index.
                let bound = isLater ? "(signed_date,\(query.endpoint == nil ? "id" : "notification"))" : "signed_date"
                #expect(steps.contains(bound), "\(steps)")
                #expect(account == nil || steps.contains("_by_account (account=?"), "\(steps)")
            }
        }
    }
}
