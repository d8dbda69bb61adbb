import Synchronization

/// The audit record of the operation that the current task performs. The engines write it in the same database
/// transaction as the operation's first change, so that after a crash no change is without its record.
///
/// Until the first transaction has succeeded, every transaction of the operation contains the record: transactions run
/// concurrently, and each can fail. The engines write a record with the same id only once.
package final class PendingAudit: Sendable {
    private struct State {
        var record: AuditRecord
        /// Whether a transaction with the record was committed.
        var isWritten = false
        /// Whether the operation has ended. Work that it started and that continues has no record of its own.
        var isOver = false
    }

    private let state: Mutex<State>

    /// The pending record of the current task; nil for work that no operation of the control API started.
    @TaskLocal package static var current: PendingAudit?

    /// A record with the result that the operation has if it succeeds.
    package init(_ record: AuditRecord) { state = Mutex(State(record: record)) }

    /// The record that the next transaction must contain; nil if it is already stored.
    package var unwritten: AuditRecord? {
        state.withLock { $0.isWritten || $0.isOver ? nil : $0.record }
    }

    /// The record as it is now: who calls which operation, and the request id.
    package var record: AuditRecord { state.withLock { $0.record } }

    /// Notes that a transaction with the record was committed.
    package func noteWritten() { state.withLock { $0.isWritten = true } }

    /// Adds what is known of the operation's object once its request was read.
    package func describe(_ body: @Sendable (inout AuditRecord) -> Void) { state.withLock { body(&$0.record) } }

    /// Ends the operation.
    ///
    /// - Parameter code: the error code; nil if the operation succeeded.
    /// - Returns: the record to write now: one without a change, or one whose operation failed after its first change.
    package func end(status: Int, code: String?) -> AuditRecord? {
        state.withLock { state in
            state.isOver = true
            state.record.status = status
            state.record.code = code
            return state.isWritten && code == nil ? nil : state.record
        }
    }
}
