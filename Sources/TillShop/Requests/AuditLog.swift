import Logging
import TillCore
import TillStorage

/// The audit log of the control API (docs/control/audit.md).
extension Shop {
    /// Stores a record without a change: of an operation that changed nothing in the database, or that failed. If the
    /// database refuses it, the operation's own result stays, and the log has the record.
    package func write(_ record: AuditRecord) async {
        do {
            try await commit(Change(audit: record), signedBy: signingChain)
        } catch {
            logger.error(
                "an audit record could not be stored",
                metadata: [
                    "operation": "\(record.operation)", "caller": "\(record.caller)", "id": "\(record.id)",
                    "result": "\(record.code ?? "ok")", "cause": "\(error.logText)",
                ]
            )
        }
    }
}

extension Storage {
    /// Adds the records of another store's audit log.
    func copyAudit(of source: any Storage) async throws {
        var position: AuditPosition?
        repeat {
            let page = try await source.auditRecords(after: position, limit: 500)
            try await write(.audit(page.map(\.record)))
            position = page.last?.position
        } while position != nil
    }
}
