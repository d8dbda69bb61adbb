import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func account(_ id: AccountID) async throws -> Account? {
        let row = try hot.first(
            of: "accounts",
            "SELECT \(AccountRow.list) FROM accounts WHERE partition = ? AND account = ?",
            [.integer(id.partition.number), .integer(id.number)]
        ) { try AccountRow($0) }
        return try row?.stored().get()
    }

    package func account(environment: StoreEnvironment, app: String, customer: String) async throws -> Account? {
        let partition = Partition(environment: environment, app: app, customer: customer)
        let row = try hot.first(
            of: "accounts",
            """
            SELECT \(AccountRow.list) FROM accounts
            WHERE partition = ? AND \(ShopTable.environment) = ? AND app = ? AND customer = ?
            """,
            [.integer(partition.number), .text(environment.rawValue), .text(app), .text(customer)]
        ) { try AccountRow($0) }
        return try row?.stored().get()
    }

    package func storedAccounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws
        -> [StoredAccount]
    {
        let rows = try await pool.read { db in
            // Accounts without a number are last, and no page can continue after them. The doctor reports them.
            try Self.rows(db, of: scope, after: after?.number ?? 0, limit).compactMap { try? AccountRow($0) }
        }
        return rows.map { $0.stored() }
    }

    private static func rows(_ db: Database, of scope: AccountScope?, after number: Int64, _ limit: Int) throws
        -> [RowCells]
    {
        guard let scope else {
            return try db.keptRows(
                of: "accounts",
                "SELECT \(AccountRow.list) FROM accounts WHERE account > ? ORDER BY account LIMIT ?",
                [number, limit]
            )
        }
        return try db.keptRows(
            of: "accounts",
            """
            SELECT \(AccountRow.list) FROM accounts WHERE \(ShopTable.environment) = ? AND app = ? AND account > ?
            ORDER BY account LIMIT ?
            """,
            [scope.environment.rawValue, scope.app, number, limit]
        )
    }

    package func owner(of id: TransactionID, in scope: AccountScope) async throws -> AccountID? {
        try hot.first(
            of: "ledger",
            """
            SELECT a.account FROM ledger l
            JOIN accounts a ON a.partition = l.partition AND a.account = l.account
            WHERE l.id = ? AND a.\(ShopTable.environment) = ? AND a.app = ?
            """,
            [.integer(id.number), .text(scope.environment.rawValue), .text(scope.app)]
        ) { AccountID(try $0.integer(0)) }
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
        try hot.rows(of: "ledger", "SELECT \(LedgerRow.columns) FROM ledger \(condition)", values) {
            try Transaction($0)
        }
    }
}
