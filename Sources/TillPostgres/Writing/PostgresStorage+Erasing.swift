import Foundation
import TillCore
import TillStorage

/// The data of one customer. `CommitBatch` deletes it.
extension PostgresStorage {
    package func belongings(of account: AccountID) async throws -> Belongings {
        let place = Arguments(account.partition.number, account.number)
        func count(_ statement: Statement) async throws -> Int {
            Int(try await read(statement, place) { try $0.int(0) }.first ?? 0)
        }
        return Belongings(
            transactions: try await count(.rowsOfAccount),
            notifications: try await count(.entriesOfAccount),
            deliveries: try await count(.deliveriesOfAccount)
        )
    }

    package func snapshots(holding customer: String, in scope: AccountScope) async throws -> [String] {
        try await read(.snapshotsHolding, Arguments(scope.environment.rawValue, scope.app, customer)) { try $0.text(0) }
    }

    package func requestLog(after number: Int64, limit: Int) async throws -> [NumberedEntry] {
        try await read(.requestLogPage, Arguments(number, limit)) { (try $0.int(0), try $0.text(1)) }.map { row in
            let entry = try JSONDecoder().decode(RequestLogEntry.self, from: Data(row.1.utf8))
            return NumberedEntry(number: row.0, entry: entry)
        }
    }
}
