import Dispatch
import GRDB
import GRDBSQLite
import Synchronization

@testable import TillSQLite

/// Counts the SQLite virtual machine steps of each statement on every connection of a store.
final class StepCounter: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    init(_ storage: SQLiteStorage) async throws {
        let readers = storage.pool.configuration.maximumReaderCount
        let barrier = Barrier(readers)
        // Each task keeps its connection until every task has a connection.
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<readers {
                group.addTask {
                    try await storage.pool.read { db in
                        self.watch(db.sqliteConnection)
                        barrier.wait()
                    }
                }
            }
            try await group.waitForAll()
        }
        try await storage.pool.writeWithoutTransaction { self.watch($0.sqliteConnection) }
        storage.hot.watch { self.watch($0) }
    }

    private func watch(_ connection: OpaquePointer?) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_trace_v2(
            connection,
            UInt32(SQLITE_TRACE_PROFILE),
            { _, context, statement, _ in
                guard let context, let statement else { return 0 }
                let handle = OpaquePointer(statement)
                let steps = Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1))
                let text = sqlite3_sql(handle).map { String(cString: $0) } ?? ""
                Unmanaged<StepCounter>.fromOpaque(context).takeUnretainedValue().add(steps, text)
                return 0
            },
            context
        )
    }

    private func add(_ steps: Int, _ statement: String) {
        counts.withLock { $0[statement, default: 0] += steps }
    }

    /// The steps since the last call, by statement.
    func take() -> [String: Int] {
        counts.withLock { counts in
            defer { counts = [:] }
            return counts
        }
    }
}

/// Blocks threads until all of them have arrived.
private final class Barrier: Sendable {
    private let all: Int
    private let arrived = Atomic(0)
    private let semaphore = DispatchSemaphore(value: 0)

    init(_ all: Int) { self.all = all }

    func wait() {
        if arrived.add(1, ordering: .relaxed).newValue == all { for _ in 0..<all { semaphore.signal() } }
        semaphore.wait()
    }
}
