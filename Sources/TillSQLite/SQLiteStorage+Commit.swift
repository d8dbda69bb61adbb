import GRDB
import TillCore
import TillStorage

extension SQLiteStorage {
    package func commit(_ changes: [Change]) async -> [Result<Void, CommitFailure>] {
        do {
            let prepared = try changes.map { try PreparedChange($0, keepingAccountsIn: decodedAccounts) }
            do {
                try await pool.write { db in
                    for change in prepared { try db.run(change.steps) }
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

    /// Applies one change under a savepoint, so that a failure undoes only this change.
    private static func apply(_ change: PreparedChange, _ db: Database) throws -> Result<Void, CommitFailure> {
        do {
            try db.inSavepoint {
                try db.run(change.steps)
                return .commit
            }
            return .success(())
        } catch {
            return .failure(try failure(error, of: change))
        }
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
            return change.first.map { .conflict($0) } ?? .engine(error.description)
        default:
            throw error
        }
    }
}
