import Foundation
import GRDB
import TillCore
import TillStorage

/// Snapshots of an app or of the whole server, in separate tables.
extension SQLiteStorage {
    package func save(_ snapshot: Snapshot) async throws -> Snapshot {
        try await write { db in
            try Self.removeSnapshot(snapshot.name, db)
            try Self.enter(snapshot, db)
            for table in ShopTable.allCases {
                let part = table.part(of: snapshot.app)
                try db.execute(
                    sql: """
                        INSERT INTO snapshot_\(table.rawValue) (snapshot, \(table.columnList))
                        SELECT ?, \(table.columnList) FROM \(table.rawValue) WHERE \(part.condition)
                        ORDER BY \(table.key.joined(separator: ", "))
                        """,
                    arguments: [snapshot.name] + part.arguments
                )
                try Self.count(db.changesCount, of: table, in: snapshot, db)
            }
            return try self.snapshots(db).first { $0.name == snapshot.name } ?? snapshot
        }
    }

    package func snapshots() async throws -> [Snapshot] {
        try await pool.read { try self.snapshots($0) }
    }

    /// All snapshots. In a database of an older version, the numbers of their rows are unknown.
    func snapshots(_ db: Database) throws -> [Snapshot] {
        guard has("snapshots") else { return [] }
        let counts = olderColumns == nil ? "customers, transactions, notifications" : "0, 0, 0"
        return try db.rows(
            of: "snapshots",
            "SELECT name, app, saved_at, \(counts) FROM snapshots ORDER BY name"
        ).map { row in
            Snapshot(
                name: try row.text(0),
                app: try row.maybeText(1),
                savedAt: Timestamp(milliseconds: try row.integer(2)),
                customers: Int(try row.integer(3)),
                transactions: Int(try row.integer(4)),
                notifications: Int(try row.integer(5))
            )
        }
    }

    package func restore(snapshot name: String) async throws {
        try await write { db in
            let rows = try db.rows(of: "snapshots", "SELECT app FROM snapshots WHERE name = ?", [name])
            guard let row = rows.first else { throw SnapshotFailure.unknown(name) }
            let app = try row.maybeText(0)
            try Self.erase(app, Set(DocumentKind.allCases).subtracting(DocumentKind.lasting), db)
            for table in ShopTable.allCases {
                do {
                    try db.execute(
                        sql: """
                            INSERT INTO \(table.rawValue) (\(table.columnList))
                            SELECT \(table.columnList) FROM snapshot_\(table.rawValue) WHERE snapshot = ?
                            ORDER BY rowid
                            """,
                        arguments: [name]
                    )
                } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                    throw SnapshotFailure.collides(table)
                }
            }
        }
    }

    package func remove(snapshot name: String) async throws {
        try await write { try Self.removeSnapshot(name, $0) }
    }

    package func erase(app: String?, documents kinds: Set<DocumentKind>) async throws {
        try await write { try Self.erase(app, kinds, $0) }
    }

    package func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) async throws
        -> [PlacedRow]
    {
        try await pool.read { try self.rows(of: table, in: snapshot, after: place, limit: limit, $0) }
    }

    func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int, _ db: Database) throws
        -> [PlacedRow]
    {
        let copy = "snapshot_\(table.rawValue)"
        guard has(copy) else { return [] }
        let columns = table.columns.indices
        return try db.rows(
            of: copy,
            """
            SELECT rowid, \(selection(of: table)) FROM \(copy)
            WHERE snapshot = ? AND rowid > ? ORDER BY rowid LIMIT ?
            """,
            [snapshot, place ?? 0, limit]
        ).map { cells in
            let row = TableRow(columns.map { cells.cell($0 + 1) })
            if let damage = row.misfit(of: table) { throw damage }
            return PlacedRow(place: try cells.integer(0), row: row)
        }
    }

    package func add(_ rows: [TableRow], of table: ShopTable, to snapshot: Snapshot) async throws {
        try await write { db in
            try Self.enter(snapshot, db)
            let insert = try db.makeStatement(
                sql: """
                    INSERT INTO snapshot_\(table.rawValue) (snapshot, \(table.columnList))
                    VALUES (?, \(table.columns.places))
                    """
            )
            for row in rows { try insert.execute(arguments: [snapshot.name] + row.arguments) }
            try Self.count(rows.count, of: table, in: snapshot, db)
        }
    }

    package func reserveIdentifiers(below highWater: Int64) async throws {
        try await pool.write { db in
            try db.execute(
                sql: "UPDATE identifiers SET next = max(next, ?) WHERE series = 'all'",
                arguments: [highWater]
            )
        }
    }

    // MARK: Parts

    private static func enter(_ snapshot: Snapshot, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO snapshots (name, app, saved_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            arguments: [snapshot.name, snapshot.app, snapshot.savedAt.milliseconds]
        )
    }

    private static func removeSnapshot(_ name: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM snapshots WHERE name = ?", arguments: [name])
        for table in ShopTable.allCases {
            try db.execute(sql: "DELETE FROM snapshot_\(table.rawValue) WHERE snapshot = ?", arguments: [name])
        }
    }

    /// Increases the number of rows that is stored for a table of a snapshot.
    private static func count(_ rows: Int, of table: ShopTable, in snapshot: Snapshot, _ db: Database) throws {
        guard let column = table.counted else { return }
        try db.execute(
            sql: "UPDATE snapshots SET \(column) = \(column) + ? WHERE name = ?",
            arguments: [rows, snapshot.name]
        )
    }

    private static func erase(_ app: String?, _ kinds: Set<DocumentKind>, _ db: Database) throws {
        for table in ShopTable.allCases.reversed() {
            var part = table.part(of: app)
            if table == .documents {
                part.condition += " AND kind IN (\(kinds.places))"
                part.arguments += StatementArguments(kinds.map(\.rawValue))
            }
            try db.execute(sql: "DELETE FROM \(table.rawValue) WHERE \(part.condition)", arguments: part.arguments)
        }
    }
}

extension ShopTable {
    /// The condition for the rows of the table that belong to an app. For nil it selects all rows, but omits some kinds
    /// of documents.
    fileprivate func part(of app: String?) -> (condition: String, arguments: StatementArguments) {
        guard let app else {
            guard self == .documents else { return ("true", []) }
            let lasting = DocumentKind.lasting.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
            return ("kind NOT IN (\(lasting))", [])
        }
        // The condition lists both environments, because the indexes begin with the environment column and cannot be
        // used without a condition on it.
        let environments = StoreEnvironment.allCases.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")
        let scope = "\(ShopTable.environment) IN (\(environments)) AND app = ?"
        let condition =
            switch self {
            case .documents: "app = ?"
            case .accounts, .redemptions, .outbox, .foreignIdentifiers: scope
            case .ledger: "(partition, account) IN (SELECT partition, account FROM accounts WHERE \(scope))"
            case .deliveries: "(partition, notification) IN (SELECT partition, id FROM outbox WHERE \(scope))"
            }
        return (condition, [app])
    }
}
