import Synchronization
import TillCore
import TillStorage

/// Counts the calls that tokens do not permit, so that they cannot fill the audit log: all calls of one caller and
/// operation in one minute are one record.
final class RefusedCalls: Sendable {
    private struct Kind: Hashable {
        let caller: String
        let operation: String
        let code: String?
    }

    private struct State {
        /// The minute of the records, counted from 1970.
        var minute: Int64 = 0
        var records: [Kind: AuditRecord] = [:]
    }

    private let state = Mutex(State())
    private static let minute: Int64 = 60_000

    /// Counts a refused call.
    ///
    /// - Returns: the record to write: of the first such call in this minute, with the number of calls.
    func count(_ record: AuditRecord) -> AuditRecord {
        let kind = Kind(caller: record.caller, operation: record.operation, code: record.code)
        let minute = record.at.milliseconds / Self.minute
        return state.withLock { state in
            if state.minute != minute { state = State(minute: minute) }
            guard var first = state.records[kind] else {
                state.records[kind] = record
                return record
            }
            first.count += 1
            state.records[kind] = first
            return first
        }
    }
}
