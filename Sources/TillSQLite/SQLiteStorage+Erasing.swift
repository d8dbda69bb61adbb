import Foundation
import GRDB
import TillCore
import TillStorage

/// The data of one customer, and its deletion.
extension SQLiteStorage {
    /// The condition for the deliveries of an account. It uses their notifications, because every delivery has one.
    private static let deliveriesOfAccount =
        "partition = ? AND notification IN (SELECT id FROM outbox WHERE account = ?)"

    package func belongings(of account: AccountID) async throws -> Belongings {
        let place = [account.partition.number, account.number]
        return try await pool.read { db in
            func count(_ sql: String, _ arguments: StatementArguments) throws -> Int {
                try Int.fetchOne(db, sql: "SELECT count(*) FROM " + sql, arguments: arguments) ?? 0
            }
            return Belongings(
                transactions: try count("ledger WHERE partition = ? AND account = ?", StatementArguments(place)),
                notifications: try count("outbox WHERE account = ?", [account.number]),
                deliveries: try count("deliveries WHERE \(Self.deliveriesOfAccount)", StatementArguments(place))
            )
        }
    }

    package func snapshots(holding customer: String, in scope: AccountScope) async throws -> [String] {
        try await pool.read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT snapshot FROM snapshot_accounts
                    WHERE \(ShopTable.environment) = ? AND app = ? AND customer = ?
                    ORDER BY snapshot
                    """,
                arguments: [scope.environment.rawValue, scope.app, customer]
            )
        }
    }

    static func erase(_ erasure: Erasure, _ db: Database) throws {
        let place: StatementArguments = [erasure.account.partition.number, erasure.account.number]
        try db.execute(sql: "DELETE FROM deliveries WHERE \(deliveriesOfAccount)", arguments: place)
        try db.execute(sql: "DELETE FROM outbox WHERE account = ?", arguments: [erasure.account.number])
        try db.execute(sql: "DELETE FROM ledger WHERE partition = ? AND account = ?", arguments: place)
        try db.execute(
            sql: "DELETE FROM accounts WHERE partition = ? AND account = ? AND version = ?",
            arguments: place + [erasure.version]
        )
        if db.changesCount == 0 { throw CommitFailure.conflict(erasure.account) }
        try eraseFromAudit(erasure, db)
        for number in erasure.requestLog {
            try db.execute(sql: "DELETE FROM journal WHERE number = ?", arguments: [number])
        }
    }
}
