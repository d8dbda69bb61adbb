import Foundation
import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>] {
        do {
            let prepared = try changes.map { try PreparedChange($0) }
            do {
                try await pool.write { db in
                    for change in prepared { try Self.write(change, db) }
                }
                return changes.map { _ in .success(()) }
            } catch {
                if prepared.count == 1 { return [.failure(try Self.failure(error, of: prepared[0]))] }
            }
            // A change failed, and the transaction was rolled back. Now each change has a savepoint, so that a failed
            // change undoes only itself. Nearly always all changes succeed, and no savepoints are necessary.
            return try await pool.write { db in
                try prepared.map { try Self.apply($0, db) }
            }
        } catch {
            return changes.map { _ in .failure(CommitFailure(error)) }
        }
    }

    package func reserveIdentifiers(_ count: Int64) async throws -> Range<Int64> {
        try await pool.write { db in
            let next = try db.rows(
                of: "identifiers",
                """
                UPDATE identifiers SET next = next + ?1
                WHERE series = 'all' AND typeof(next) = 'integer' AND next BETWEEN 0 AND ?2 - ?1 RETURNING next
                """,
                [count, Identifiers.maxCounters]
            ).first
            guard let next = try next?.integer(0) else { throw DamagedRow.counter(try Self.highWater(db)) }
            return next - count..<next
        }
    }

    package func identifierHighWater() async throws -> Int64 {
        try await pool.read { try Self.highWater($0) ?? 0 }
    }

    /// The lowest counter value that was never reserved; nil if none is stored.
    static func highWater(_ db: Database) throws -> Int64? {
        try db.rows(of: "identifiers", "SELECT next FROM identifiers WHERE series = 'all'").first?.integer(0)
    }

    /// Applies one change under a savepoint, so that a failure undoes only this change.
    private static func apply(_ change: PreparedChange, _ db: Database) throws -> Result<Void, CommitFailure> {
        do {
            try db.inSavepoint {
                try write(change, db)
                return .commit
            }
            return .success(())
        } catch {
            return .failure(try failure(error, of: change))
        }
    }

    private static func write(_ change: PreparedChange, _ db: Database) throws {
        if let audit = change.audit { try write(audit, db) }
        for account in change.accounts { try write(account, db) }
        for row in change.rows { try write(row, db) }
        for redemption in change.redemptions { try count(redemption, db) }
        for entry in change.notifications {
            try db.cachedStatement(sql: OutboxRow.insert).execute(arguments: OutboxRow.arguments(entry))
        }
        for delivery in change.deliveries {
            let statement = try db.cachedStatement(sql: DeliveryRow.insert)
            try statement.execute(arguments: try DeliveryRow.arguments(delivery))
        }
        for document in change.documents { try write(document, db) }
        if let erasure = change.erasure { try erase(erasure, db) }
    }

    /// The failure of a change that results from a database error.
    ///
    /// - Throws: The error itself, if the engine caused it and not the change.
    private static func failure(_ error: any Error, of change: PreparedChange) throws -> CommitFailure {
        switch error {
        case let failure as CommitFailure:
            return failure
        case let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT:
            // This only happens if a second writer uses the same account or id. The data of the first writer stays.
            guard let account = change.accounts.first?.id ?? change.erasure?.account else {
                return .engine(error.description)
            }
            return .conflict(account)
        default:
            throw error
        }
    }

    private static func write(_ account: PreparedAccount, _ db: Database) throws {
        if let before = account.before {
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE accounts
                    SET version = ?, change_number = ?, row_count = ?, state = ?, clock = ?, next_due = ?
                    WHERE partition = ? AND account = ? AND version = ?
                    """
            )
            try statement.execute(arguments: account.values + [account.partition, account.id.number, before])
            if db.changesCount == 0 { throw CommitFailure.conflict(account.id) }
            if account.changesClock { try moveDeliveries(of: account, db) }
        } else {
            let statement = try db.cachedStatement(
                sql: """
                    INSERT INTO accounts
                        (version, change_number, row_count, state, clock, next_due, partition, account,
                        \(ShopTable.environment), app,
                        customer)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """
            )
            try statement.execute(
                arguments: account.values + [account.partition, account.id.number] + account.names
            )
        }
    }

    /// Moves the account's pending deliveries to its clock, which determines when they are due.
    private static func moveDeliveries(of account: PreparedAccount, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE deliveries SET clock = ? WHERE account = ? AND due IS NOT NULL",
            arguments: [account.clock, account.id.number]
        )
    }

    static func write(_ document: Document, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO documents (kind, name, app, body) VALUES (?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET app = excluded.app, body = excluded.body
                """,
            arguments: [document.kind.rawValue, document.name, document.app, document.body]
        )
    }

    /// A changed transaction moves to the end of the history. A transaction that was only marked as finished keeps its
    /// position.
    private static func write(_ row: TransactionChange, _ db: Database) throws {
        if let before = row.before {
            let delete = try db.cachedStatement(
                sql: "DELETE FROM ledger WHERE partition = ? AND account = ? AND change = ? AND id = ?"
            )
            try delete.execute(
                arguments: [row.after.id.partition.number, row.after.account.number, before, row.after.id.number]
            )
            if db.changesCount == 0 { throw CommitFailure.conflict(row.after.account) }
        }
        try db.cachedStatement(sql: LedgerRow.insert).execute(arguments: LedgerRow.arguments(row.after))
    }

    private static func count(_ redemption: CodeRedemption, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO redemptions (\(ShopTable.environment), app, product, offer, redeemed) VALUES (?, ?, ?, ?, 1)
                ON CONFLICT DO UPDATE SET redeemed = redeemed + 1 WHERE redeemed < ?
                """,
            arguments: [
                redemption.environment.rawValue, redemption.app, redemption.productID, redemption.offerID,
                redemption.limit,
            ]
        )
        if db.changesCount == 0 || redemption.limit < 1 { throw CommitFailure.codeUsedUp(redemption) }
    }
}

/// A change whose account states are already encoded, so that the writer only writes.
private struct PreparedChange: Sendable {
    let accounts: [PreparedAccount]
    let rows: [TransactionChange]
    let redemptions: [CodeRedemption]
    let notifications: [OutboxEntry]
    let deliveries: [Delivery]
    let documents: [Document]
    let erasure: Erasure?
    let audit: AuditRecord?

    init(_ change: Change) throws {
        audit = change.audit
        erasure = change.erasure
        notifications = change.notifications
        deliveries = change.deliveries
        documents = change.documents
        accounts = try change.accounts.map { try PreparedAccount($0) }
        rows = change.rows
        redemptions = change.redemptions
    }
}

private struct PreparedAccount: Sendable {
    let id: AccountID
    let partition: Int64
    let before: Int64?
    let changesClock: Bool
    private let account: Account
    private let nextDue: Timestamp?
    private let state: String

    init(_ change: AccountChange) throws {
        account = change.account
        id = change.account.id
        partition = id.partition.number
        before = change.before
        nextDue = change.nextDue
        changesClock = change.changesClock
        state = try change.account.storedState()
    }

    var clock: String { account.clockName.key }
    var values: StatementArguments {
        [account.version, account.changeNumber, account.rowCount, state, clock, nextDue?.milliseconds]
    }
    var names: StatementArguments { [account.environment.rawValue, account.app, account.customer] }
}
