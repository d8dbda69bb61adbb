import TillControl
import TillCore
import TillShop
import TillStorage

/// The audit log.
extension ControlAPI {
    var auditRoutes: [ControlRoute] {
        [ControlRoute(ListAuditRecords.self) { try await listAuditRecords($0) }]
    }

    private func listAuditRecords(_ call: ControlCall<ListAuditRecords>) async throws -> AuditRecordList {
        let limit = call.limit ?? 50
        var query = AuditQuery(limit: limit + 1)
        query.caller = call.caller
        query.operation = call.operationId
        query.app = call.bundleId
        query.onlyFailed = call.failed ?? false
        query.from = call.from
        query.to = call.to
        query.before = try call.after.map { try Self.auditPosition($0) }
        let found = try await shop.storage.auditRecords(query)
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { "\($0.record.at.milliseconds)-\($0.number)" } : nil
        return AuditRecordList(records: page.map { AuditRecordInfo($0.record) }, next: next)
    }

    private static func auditPosition(_ text: String) throws -> AuditPosition {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int64($0) }
        guard numbers.count == 2 else {
            throw ControlError.bad(
                "bad_page",
                "after must be the value of next from the previous page.",
                path: "after"
            )
        }
        return AuditPosition(at: Timestamp(milliseconds: numbers[0]), number: numbers[1])
    }
}

extension AuditRecordInfo {
    fileprivate init(_ record: AuditRecord) {
        self.init(
            requestId: record.id,
            date: record.at,
            caller: record.caller,
            address: record.address,
            operationId: record.operation,
            bundleId: record.app,
            environment: record.environment,
            customer: record.customer,
            object: record.object,
            status: record.status,
            result: record.code ?? "ok",
            count: record.count > 1 ? record.count : nil
        )
    }
}
