import TillControl
import TillCore
import TillShop
import TillStorage

/// The request log of the App Store Server API, with the reasons for refusals, and the audit log.
extension ControlAPI {
    var logRoutes: [ControlRoute] {
        [
            ControlRoute(ListRequests.self) { try await listRequests($0) },
            ControlRoute(ExplainRequest.self) { call in
                guard let entry = try await shop.requestLog.entry(call.requestId) else {
                    throw ControlError.notFound(
                        "unknown_request",
                        "The request log has no refused request \(call.requestId.prefix(64)). It keeps the last "
                            + "\(shop.settings.requestLogLength), and successful requests only with "
                            + "--request-log-all."
                    )
                }
                return RequestInfo(entry)
            },
            ControlRoute(ListAuditRecords.self) { try await listAuditRecords($0) },
        ]
    }

    private func listRequests(_ call: ControlCall<ListRequests>) async throws -> RequestList {
        let limit = call.limit ?? 20
        var before = try ControlError.position(call.after)?[0]
        let size = call.request.hasNoFilter ? limit + 1 : Self.entriesAtOnce
        var (found, looked, hasMore, isOver): ([RequestLogEntry], Int, Bool, Bool) = ([], 0, false, false)
        while !hasMore, !isOver {
            let page = try await shop.requestLog.page(before: before, size)
            for entry in page {
                if found.count == limit || looked == Self.maxLookedAt {
                    hasMore = true
                    break
                }
                looked += 1
                before = entry.number
                if call.request.matches(entry.entry) { found.append(entry.entry) }
            }
            isOver = page.count < size
        }
        return RequestList(entries: found.map { RequestInfo($0) }, next: hasMore ? before.map { String($0) } : nil)
    }

    private static let entriesAtOnce = 250
    /// The maximum number of entries that one request reads.
    private static let maxLookedAt = 1_000

    private func listAuditRecords(_ call: ControlCall<ListAuditRecords>) async throws -> AuditRecordList {
        let limit = call.limit ?? 50
        var query = AuditQuery(limit: limit + 1)
        query.caller = call.caller
        query.operation = call.operationId
        query.app = call.bundleId
        query.onlyFailed = call.failed ?? false
        query.from = call.from
        query.to = call.to
        query.before = try ControlError.position(call.after, count: 2).map {
            AuditPosition(at: Timestamp(milliseconds: $0[0]), number: $0[1])
        }
        let found = try await shop.storage.auditRecords(query)
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { "\($0.record.at.milliseconds)-\($0.number)" } : nil
        return AuditRecordList(records: page.map { AuditRecordInfo($0.record) }, next: next)
    }
}

extension RequestInfo {
    fileprivate init(_ entry: RequestLogEntry) {
        self.init(
            requestId: entry.id,
            date: entry.at,
            environment: entry.environment.wireName,
            method: entry.method,
            path: entry.path,
            status: entry.status,
            errorCode: entry.code,
            bundleId: entry.app,
            keyId: entry.keyID,
            explanation: entry.explanation,
            milliseconds: entry.milliseconds,
            requestBody: entry.requestBody,
            responseBody: entry.responseBody
        )
    }
}

extension ListRequests {
    /// Whether every entry matches, because no filter is set.
    fileprivate var hasNoFilter: Bool { refused != true && bundleId == nil && path == nil && status == nil }

    fileprivate func matches(_ entry: RequestLogEntry) -> Bool {
        if refused == true, entry.status < 400, entry.code == nil { return false }
        if let bundleId, entry.app != bundleId { return false }
        if let path, !entry.path.contains(path) { return false }
        if let status, entry.status != status, entry.code != status { return false }
        return true
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
