import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func account(_ id: AccountID) async throws -> Account? {
        let text = try hot.first(
            "SELECT state FROM accounts WHERE partition = ? AND account = ?",
            [.integer(id.partition.number), .integer(id.number)]
        ) { $0[0] as String }
        return try text.map(AccountState.decode)
    }

    package func account(realm: Realm, app: String, customer: String) async throws -> Account? {
        let partition = Partition(realm: realm, app: app, customer: customer)
        let text = try hot.first(
            "SELECT state FROM accounts WHERE partition = ? AND realm = ? AND app = ? AND customer = ?",
            [.integer(partition.number), .text(realm.rawValue), .text(app), .text(customer)]
        ) { $0[0] as String }
        return try text.map(AccountState.decode)
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
        try hot.first(
            """
            SELECT a.account FROM ledger l
            JOIN accounts a ON a.partition = l.partition AND a.account = l.account
            WHERE l.id = ? AND a.realm = ? AND a.app = ?
            """,
            [.integer(id.number), .text(scope.realm.rawValue), .text(scope.app)]
        ) { AccountID($0[0]) }
    }

    package func transaction(_ id: TransactionID) async throws -> Transaction? {
        try rows("WHERE id = ?", [.integer(id.number)]).first
    }

    package func transactions(in order: OrderID) async throws -> [Transaction] {
        try rows("WHERE order_number = ? ORDER BY id", [.integer(order.number)])
    }

    package func refunds(of account: AccountID, after refundNumber: Int64, limit: Int) async throws -> [Transaction] {
        try rows(
            "WHERE partition = ? AND account = ? AND refund_number > ? ORDER BY refund_number LIMIT ?",
            [
                .integer(account.partition.number), .integer(account.number), .integer(refundNumber),
                .integer(Int64(limit)),
            ]
        )
    }

    package func latestRefunds(of account: AccountID, limit: Int) async throws -> [Transaction] {
        try rows(
            "WHERE partition = ? AND account = ? AND refund_number > 0 ORDER BY refund_number DESC LIMIT ?",
            [.integer(account.partition.number), .integer(account.number), .integer(Int64(limit))]
        ).reversed()
    }

    private func rows(_ condition: String, _ values: [HotValue]) throws -> [Transaction] {
        try hot.rows("SELECT \(LedgerRow.columns) FROM ledger \(condition)", values, LedgerRow.read)
    }
}
