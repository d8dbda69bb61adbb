import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func account(_ id: AccountID) async throws -> Account? {
        try await pool.read { db in
            let text = try String.fetchOne(
                db.cachedStatement(sql: "SELECT state FROM accounts WHERE partition = ? AND account = ?"),
                arguments: [id.partition.number, id.number]
            )
            return try text.map(AccountState.decode)
        }
    }

    package func account(realm: Realm, app: String, customer: String) async throws -> Account? {
        let partition = Partition(realm: realm, app: app, customer: customer)
        return try await pool.read { db in
            let text = try String.fetchOne(
                db.cachedStatement(
                    sql: "SELECT state FROM accounts WHERE partition = ? AND realm = ? AND app = ? AND customer = ?"
                ),
                arguments: [partition.number, realm.rawValue, app, customer]
            )
            return try text.map(AccountState.decode)
        }
    }

    package func accounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [Account] {
        try await pool.read { db in
            let texts: [String]
            if let scope {
                texts = try String.fetchAll(
                    db.cachedStatement(
                        sql: """
                            SELECT state FROM accounts WHERE realm = ? AND app = ? AND account > ?
                            ORDER BY account LIMIT ?
                            """
                    ),
                    arguments: [scope.realm.rawValue, scope.app, after?.number ?? 0, limit]
                )
            } else {
                texts = try String.fetchAll(
                    db.cachedStatement(sql: "SELECT state FROM accounts WHERE account > ? ORDER BY account LIMIT ?"),
                    arguments: [after?.number ?? 0, limit]
                )
            }
            return try texts.map(AccountState.decode)
        }
    }

    package func owner(of id: TransactionID, in scope: AccountScope) async throws -> AccountID? {
        try await pool.read { db in
            let number = try Int64.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT a.account FROM ledger l
                        JOIN accounts a ON a.partition = l.partition AND a.account = l.account
                        WHERE l.id = ? AND a.realm = ? AND a.app = ?
                        """
                ),
                arguments: [id.number, scope.realm.rawValue, scope.app]
            )
            return number.map { AccountID($0) }
        }
    }

    package func transaction(_ id: TransactionID) async throws -> Transaction? {
        try await rows("WHERE id = ?", [id.number]).first
    }

    package func transactions(in order: OrderID) async throws -> [Transaction] {
        try await rows("WHERE order_number = ? ORDER BY id", [order.number])
    }

    package func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction] {
        try await rows(
            "WHERE partition = ? AND account = ? AND refund_number > ? ORDER BY refund_number LIMIT ?",
            [account.partition.number, account.number, refundNumber, limit]
        )
    }

    package func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction] {
        try await rows(
            "WHERE partition = ? AND account = ? AND refund_number > 0 ORDER BY refund_number DESC LIMIT ?",
            [account.partition.number, account.number, limit]
        ).reversed()
    }

    private func rows(_ condition: String, _ arguments: StatementArguments) async throws -> [Transaction] {
        try await pool.read { db in
            let statement = try db.cachedStatement(sql: "SELECT \(LedgerRow.columns) FROM ledger \(condition)")
            var rows: [Transaction] = []
            let cursor = try Row.fetchCursor(statement, arguments: arguments)
            while let row = try cursor.next() { rows.append(try LedgerRow.read(row)) }
            return rows
        }
    }
}
