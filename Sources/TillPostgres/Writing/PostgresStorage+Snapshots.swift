import Synchronization
import TillCore
import TillStorage

/// Snapshots of an app or of the whole server, in separate tables.
extension PostgresStorage {
    package func save(_ snapshot: Snapshot) async throws -> Snapshot {
        try await audited { record in
            try await pool.perform { session in
                try session.atOneMoment {
                    try session.run(record)
                    try session.removeSnapshot(snapshot.name)
                    try session.enter(snapshot)
                    for table in ShopTable.allCases {
                        let operation = TableStatement(
                            operation: snapshot.app == nil ? .saveAll : .saveApp,
                            table: table
                        )
                        let part = snapshot.app.map { Arguments($0) } ?? Arguments()
                        _ = try session.run(any: operation, Arguments(snapshot.name) + part)
                    }
                    _ = try session.run(.countSnapshot, Arguments(snapshot.name))
                    return try session.snapshots().first { $0.name == snapshot.name } ?? snapshot
                }
            }
        }
    }

    package func snapshots() async throws -> [Snapshot] {
        try await pool.perform { try $0.snapshots() }
    }

    package func restore(snapshot name: String) async throws {
        try await replacing { session, record in
            try session.atOneMoment(locking: true) {
                try session.run(record)
                guard let row = try session.run(.snapshotByName, Arguments(name)).first else {
                    throw SnapshotFailure.unknown(name)
                }
                let app = row.maybeText(0)
                try session.erase(app, Set(DocumentKind.allCases).subtracting(DocumentKind.lasting))
                for table in ShopTable.allCases {
                    do {
                        _ = try session.run(any: TableStatement(operation: .restore, table: table), Arguments(name))
                    } catch let failure as PostgresFailure where failure.isConstraint {
                        throw SnapshotFailure.collides(table)
                    }
                }
                try session.beginEra(of: app)
            }
        }
    }

    package func remove(snapshot name: String) async throws {
        try await audited { record in
            try await pool.perform { session in
                try session.atOneMoment {
                    try session.run(record)
                    try session.removeSnapshot(name)
                }
            }
        }
    }

    package func erase(app: String?, documents kinds: Set<DocumentKind>) async throws {
        try await replacing { session, record in
            try session.atOneMoment(locking: true) {
                try session.run(record)
                try session.erase(app, kinds)
                try session.beginEra(of: app)
            }
        }
    }

    /// Replaces data. In the meantime, no node can commit a change that it decided before.
    ///
    /// - Parameter body: runs one transaction, which must contain the given steps.
    private func replacing(_ body: @escaping @Sendable (Session, [Step]) throws -> Void) async throws {
        defer { writes.add(1, ordering: .relaxed) }
        try await audited { record in
            try await pool.perform { session in
                // This is a session lock, because a transaction that waits for the lock would still see the old data.
                try session.run(script: "SELECT pg_advisory_lock(\(NodeStatements.lock))")
                defer { _ = try? session.run(script: "SELECT pg_advisory_unlock(\(NodeStatements.lock))") }
                try body(session, record)
            }
        }
    }

    package func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) async throws
        -> [PlacedRow]
    {
        try await pool.perform { try $0.rows(of: table, in: snapshot, after: place, limit: limit) }
    }

    package func add(_ rows: [TableRow], of table: ShopTable, to snapshot: Snapshot) async throws {
        let entry = Arguments(snapshot.name, snapshot.app, snapshot.savedAt.milliseconds)
        let steps = rows.map { row in
            Step(TableStatement(operation: .add, table: table), Arguments(snapshot.name) + row.arguments)
        }
        func count(_ table: ShopTable, _ wanted: ShopTable) -> Int { table == wanted ? rows.count : 0 }
        let counts = Arguments(
            snapshot.name,
            count(table, .accounts),
            count(table, .ledger),
            count(table, .outbox)
        )
        try await audited {
            try await write($0 + [Step(.enterSnapshot, entry)] + steps + [Step(.growSnapshot, counts)])
        }
    }

    package func reserveIdentifiers(below highWater: Int64) async throws {
        try await write([Step(.raiseIdentifiers, Arguments(highWater))])
    }
}

extension Session {
    /// Runs `body` in one transaction that sees the data of one moment. It may read and write many rows with any plan.
    ///
    /// - Parameter isLocking: Whether to block the writes that other nodes make without the common lock, so that
    ///   nothing changes between this moment and the replacement of the data.
    fileprivate func atOneMoment<Answer>(locking isLocking: Bool = false, _ body: () throws -> Answer) throws -> Answer
    {
        try run(script: "BEGIN ISOLATION LEVEL REPEATABLE READ")
        do {
            // The first statement after the lock determines the moment that the transaction sees.
            if isLocking { try run(script: "LOCK TABLE documents, outbox, deliveries IN SHARE ROW EXCLUSIVE MODE") }
            try run(script: Session.withoutLimits)
            let answer = try patiently(body)
            try requireCommitted(try run(.commit))
            return answer
        } catch {
            if !isIdle() { _ = try? run(.rollback) }
            throw error
        }
    }

    /// Starts a new epoch, because the data of an app, or of all apps, that nodes cache or will write is outdated.
    fileprivate func beginEra(of app: String?) throws {
        _ = try run(.raiseEra)
        let name = app ?? ConfigurationVersions.allApps
        _ = try run(.forgetReplacements, Arguments(name))
        _ = try run(.noteReplacement, Arguments(name))
        _ = try run(.announce, Arguments(NodeMessage.configurationVersions))
    }

    fileprivate func enter(_ snapshot: Snapshot) throws {
        _ = try run(.enterSnapshot, Arguments(snapshot.name, snapshot.app, snapshot.savedAt.milliseconds))
    }

    fileprivate func removeSnapshot(_ name: String) throws {
        _ = try run(.removeSnapshot, Arguments(name))
        for table in ShopTable.allCases {
            _ = try run(any: TableStatement(operation: .remove, table: table), Arguments(name))
        }
    }

    /// All snapshots, ordered by name.
    func snapshots() throws -> [Snapshot] {
        try run(.allSnapshots).map { row in
            Snapshot(
                name: try row.text(0),
                app: row.maybeText(1),
                savedAt: Timestamp(milliseconds: try row.int(2)),
                customers: Int(try row.int(3)),
                transactions: Int(try row.int(4)),
                notifications: Int(try row.int(5))
            )
        }
    }

    fileprivate func erase(_ app: String?, _ kinds: Set<DocumentKind>) throws {
        for table in ShopTable.allCases.reversed() {
            let part = app.map { Arguments($0) } ?? Arguments()
            let chosen = table == .documents ? Arguments(TextList(all: kinds.map(\.rawValue))) : Arguments()
            _ = try run(any: TableStatement(operation: app == nil ? .eraseAll : .eraseApp, table: table), part + chosen)
        }
    }
}
