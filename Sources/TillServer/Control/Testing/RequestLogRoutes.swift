import TillControl
import TillShop
import TillStorage

/// The request log of the App Store Server API, with the reasons for refusals.
extension ControlAPI {
    var requestLogRoutes: [ControlRoute] {
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
        ]
    }

    private func listRequests(_ call: ControlCall<ListRequests>) async throws -> RequestList {
        let limit = call.limit ?? 20
        var before = try call.after.map { text in
            guard let number = Int64(text) else {
                throw ControlError.bad(
                    "bad_page",
                    "after must be the value of next from the previous page.",
                    path: "after"
                )
            }
            return number
        }
        let filter = RequestLogFilter(call.request)
        let size = filter.isAny ? limit + 1 : Self.entriesAtOnce
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
                if filter.lets(entry.entry) { found.append(entry.entry) }
            }
            isOver = page.count < size
        }
        return RequestList(entries: found.map { RequestInfo($0) }, next: hasMore ? before.map { String($0) } : nil)
    }

    private static let entriesAtOnce = 250
    /// The maximum number of entries that one request reads.
    private static let maxLookedAt = 1_000
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

/// The filters of a request for the log.
private struct RequestLogFilter {
    let onlyRefused: Bool
    let app: String?
    let path: String?
    let status: Int?

    init(_ request: ListRequests) {
        onlyRefused = request.refused ?? false
        app = request.bundleId
        path = request.path
        status = request.status
    }

    /// Whether every entry matches, because no filter is set.
    var isAny: Bool { !onlyRefused && app == nil && path == nil && status == nil }

    func lets(_ entry: RequestLogEntry) -> Bool {
        if onlyRefused, entry.status < 400, entry.code == nil { return false }
        if let app, entry.app != app { return false }
        if let path, !entry.path.contains(path) { return false }
        if let status, entry.status != status, entry.code != status { return false }
        return true
    }
}
