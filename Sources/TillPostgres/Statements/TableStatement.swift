import TillCore
import TillStorage

/// The statements for snapshots and for transfers to another engine, for each table. They read or write a whole app or
/// the whole database, so they touch all partitions.
struct TableStatement: SentStatement, CaseIterable {
    let operation: Operation
    let table: ShopTable

    enum Operation: String, CaseIterable {
        case saveApp, saveAll, restore, eraseApp, eraseAll, remove, page, add, first, next, fill
    }

    static let allCases = Operation.allCases.flatMap { operation in
        ShopTable.allCases.map { TableStatement(operation: operation, table: $0) }
    }

    var name: String { "\(operation.rawValue)_\(table.rawValue)" }

    var reach: StatementReach {
        switch operation {
        case .remove, .page, .add: .unpartitioned
        case .saveApp, .saveAll, .restore, .eraseApp, .eraseAll:
            isPartitioned ? .sweep("a snapshot contains a whole app") : .unpartitioned
        case .first, .next:
            isPartitioned ? .sweep("a transfer to another engine reads or writes everything") : .unpartitioned
        case .fill: isPartitioned ? .onePartition : .unpartitioned
        }
    }

    var sql: String {
        let copy = "snapshot_\(table.rawValue)"
        let columns = table.columns.map(\.name).joined(separator: ", ")
        switch operation {
        case .saveApp, .saveAll:
            return """
                INSERT INTO \(copy) (snapshot, \(columns)) SELECT $1, \(columns) FROM \(table.rawValue)
                WHERE \(operation == .saveApp ? ofApp("$2") : ofAll) ORDER BY \(table.key.joined(separator: ", "))
                """
        case .restore:
            return """
                INSERT INTO \(table.rawValue) (\(columns)) SELECT \(columns) FROM \(copy)
                WHERE snapshot = $1 ORDER BY place
                """
        case .eraseApp: return "DELETE FROM \(table.rawValue) WHERE \(ofApp("$1"))\(ofKinds("$2"))"
        case .eraseAll: return "DELETE FROM \(table.rawValue) WHERE \(ofAll)\(ofKinds("$1"))"
        case .remove: return "DELETE FROM \(copy) WHERE snapshot = $1"
        case .page:
            return "SELECT place, \(columns) FROM \(copy) WHERE snapshot = $1 AND place > $2 ORDER BY place LIMIT $3"
        case .add:
            let places = (1...table.columns.count + 1).map { "$\($0)" }.joined(separator: ", ")
            return "INSERT INTO \(copy) (snapshot, \(columns)) VALUES (\(places))"
        case .first, .next:
            let key = table.place.joined(separator: ", ")
            let position = table.place.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            let limit = operation == .first ? 1 : table.place.count + 1
            return """
                SELECT \(columns) FROM \(table.rawValue) \(operation == .first ? "" : "WHERE (\(key)) > (\(position))")
                ORDER BY \(key) LIMIT $\(limit)
                """
        case .fill:
            let places = table.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            return "INSERT INTO \(table.rawValue) (\(columns)) VALUES (\(places))"
        }
    }

    private var isPartitioned: Bool { table.columns.contains { $0.name == "partition" } }

    /// The condition for snapshots of the whole server, which omit some kinds of documents.
    private var ofAll: String {
        guard table == .documents else { return "true" }
        let lasting = DocumentKind.lasting.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        return "kind NOT IN (\(lasting))"
    }

    private func ofApp(_ place: String) -> String {
        // The condition lists both environments, because the indexes begin with the environment column and cannot be
        // used without a condition on it.
        let environments = StoreEnvironment.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let scope = "\(ShopTable.environment) IN (\(environments)) AND app = \(place)"
        switch table {
        case .documents: return "app = \(place)"
        case .accounts, .redemptions, .outbox, .deliveries, .foreignIdentifiers: return scope
        case .ledger: return "(partition, account) IN (SELECT partition, account FROM accounts WHERE \(scope))"
        }
    }

    private func ofKinds(_ place: String) -> String {
        table == .documents ? " AND kind = ANY (\(place)::text[])" : ""
    }
}
