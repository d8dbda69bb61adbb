import Foundation
import Synchronization
import TillCore

/// A part of the complete contents of a database at one moment. Copies from one store to another consist of these
/// parts, in this order.
package enum StoredPart: Sendable {
    /// The lowest counter value that was never reserved. It is always the first part.
    case highWater(Int64)
    /// Rows of a table, or of a table in a snapshot that an earlier part contained. Each row comes after the rows that
    /// it refers to. The last part of every table has no rows.
    case rows([TableRow], ShopTable, of: Snapshot?)
    /// Records of the audit log, oldest first.
    case audit([AuditRecord])
    /// A snapshot. Its rows follow in later parts.
    case snapshot(Snapshot)
}

extension Storage {
    /// Writes a part that was read from another store.
    package func write(_ part: StoredPart) async throws {
        switch part {
        case .highWater(let mark): try await reserveIdentifiers(below: mark)
        case .rows(let rows, _, _) where rows.isEmpty: break
        case .rows(let rows, let table, nil): try await add(rows, to: table)
        case .rows(let rows, let table, let snapshot?): try await add(rows, of: table, to: snapshot)
        case .audit(let records):
            // A record whose id exists already stays as it is.
            for result in await commit(records.map { Change(audit: $0) }) { try result.get() }
        case .snapshot(let snapshot): try await add([], of: .documents, to: snapshot)
        }
    }
}

/// A connection that sees the data of one moment. The functions read like those of `Storage` with the same names, and
/// block the current thread.
package protocol StoredMoment {
    /// The lowest counter value that was never reserved.
    func identifierHighWater() throws -> Int64
    /// A page of a table. A cell may have another type than its column.
    func rows(of table: ShopTable, after row: TableRow?, limit: Int) throws -> [TableRow]
    /// A page of a table in a snapshot.
    func rows(of table: ShopTable, in snapshot: String, after place: Int64?, limit: Int) throws -> [PlacedRow]
    /// A page of the audit log, oldest records first.
    func auditRecords(after position: AuditPosition?, limit: Int) throws -> [NumberedAuditRecord]
    /// All snapshots, ordered by name.
    func snapshots() throws -> [Snapshot]
}

extension StoredMoment {
    /// Reads everything. The next part is read after `take` has processed the current part.
    package func readWhole(_ take: @escaping @Sendable (StoredPart) async throws -> Void) throws {
        let next = HandOver(take)
        try next(.highWater(try identifierHighWater()))
        for table in ShopTable.allCases {
            var last: TableRow?
            repeat {
                let page = try rows(of: table, after: last, limit: table.pageLength)
                for row in page { if let damage = row.misfit(of: table) { throw damage } }
                try next(.rows(page, table, of: nil))
                last = page.last
            } while last != nil
        }
        var position: AuditPosition?
        repeat {
            let page = try auditRecords(after: position, limit: 500)
            try next(.audit(page.map(\.record)))
            position = page.last?.position
        } while position != nil
        for snapshot in try snapshots() {
            try next(.snapshot(snapshot))
            for table in ShopTable.allCases {
                var last: Int64?
                repeat {
                    let page = try rows(of: table, in: snapshot.name, after: last, limit: table.pageLength)
                    try next(.rows(page.map(\.row), table, of: snapshot))
                    last = page.last?.place
                } while last != nil
            }
        }
    }
}

/// Calls an async function from a connection's thread, which may block, and waits for the result.
private struct HandOver: Sendable {
    private let take: @Sendable (StoredPart) async throws -> Void

    init(_ take: @escaping @Sendable (StoredPart) async throws -> Void) { self.take = take }

    private final class Outcome: Sendable {
        private let result = Mutex<Result<Void, any Error>>(.success(()))

        func note(_ error: any Error) { result.withLock { $0 = .failure(error) } }
        func get() throws { try result.withLock { $0 }.get() }
    }

    func callAsFunction(_ part: StoredPart) throws {
        let outcome = Outcome()
        let taken = DispatchSemaphore(value: 0)
        let take = take
        Task {
            do {
                try await take(part)
                try Task.checkCancellation()
            } catch {
                outcome.note(error)
            }
            taken.signal()
        }
        taken.wait()
        try outcome.get()
    }
}
