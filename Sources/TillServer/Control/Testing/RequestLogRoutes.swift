import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The request log of the App Store Server API, with the reasons for refusals.
extension ControlAPI {
    private static let entry = Schema.object(
        "A logged request.",
        [
            Schema.required("requestId", .string("The request id from the answer.")),
            Schema.required("date", .integer("When the request arrived, in milliseconds of real time since 1970.")),
            Schema.required("environment", .string("The environment: Production or Sandbox.")),
            Schema.required("method", .string("The HTTP method.")),
            Schema.required("path", .string("The path of the URL.")),
            Schema.required("status", .integer("The HTTP status.")),
            Schema.optional("errorCode", .integer("The documented error code; absent for a 401.")),
            Schema.optional("bundleId", .string("The app that the token claims.")),
            Schema.optional("keyId", .string("The key id that the token claims.")),
            Schema.required("explanation", .string("What was wrong with the request, and how to fix it.")),
            Schema.optional("milliseconds", .integer("The duration in milliseconds.")),
            Schema.optional("requestBody", .string("The request body, if the log keeps bodies (--journal-bodies).")),
            Schema.optional("responseBody", .string("The response body, if the log keeps bodies.")),
        ]
    )

    var requestLogRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/journal",
                id: "listJournal",
                tag: "journal",
                summary:
                    "Lists logged requests, newest first: refused requests, or all with --journal-all.",
                query: [
                    Schema.optional("refused", .string("true for only refused requests.")),
                    Schema.optional("bundleId", .string("Only requests whose token claims this app.")),
                    Schema.optional("path", .string("Only requests whose path contains this text.")),
                    Schema.optional("status", .string("Only requests answered with this HTTP status or error code.")),
                    Schema.optional("after", .string("The value of `next` from the previous page.")),
                    Schema.optional("limit", .string("Maximum number of results, 1 to 100; 20 by default.")),
                ],
                response: .object(
                    "A page of the request log.",
                    [
                        Schema.required("entries", .array("The requests, newest first.", of: Self.entry)),
                        Schema.optional(
                            "next",
                            .string(
                                "The value of `after` for the next page; absent on the last page. A page may be "
                                    + "short or empty, because a request reads at most 1,000 entries."
                            )
                        ),
                    ]
                )
            ) { try await listJournal($0) },
            ControlRoute(
                method: .get,
                path: "/v1/journal/{requestId}",
                id: "explain",
                tag: "journal",
                summary: "Shows a logged request, and why it was refused.",
                response: Self.entry
            ) { exchange in
                let id = exchange.parameter("requestId")
                guard let entry = try await shop.requestLog.entry(id) else {
                    throw ControlError.notFound(
                        "unknown_request",
                        "The request log has no refused request \(id.prefix(64)). It keeps the last "
                            + "\(shop.settings.journalLength), and successful requests only with "
                            + "--journal-all."
                    )
                }
                return Self.json(entry)
            },
        ]
    }

    // MARK: Pages of the log

    private func listJournal(_ exchange: ControlExchange) async throws -> [UInt8] {
        let query = exchange.query
        let limit = query.values("limit").first.map { Int($0) ?? 0 } ?? 20
        guard (1...100).contains(limit) else {
            throw ControlError.bad("bad_limit", "limit must be 1 to 100.", path: "limit")
        }
        var before = try Self.number(query.values("after").first, "after")
        let filter = RequestLogFilter(
            onlyRefused: query.values("refused").first == "true",
            app: query.values("bundleId").first,
            path: query.values("path").first,
            status: try Self.number(query.values("status").first, "status")
        )
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
        var json = JSONWriter()
        json.put("entries", objects: found.map(Self.json))
        if hasMore { json.put("next", before.map { String($0) }) }
        return json.finish()
    }

    private static let entriesAtOnce = 250
    /// The maximum number of entries that one request reads.
    private static let maxLookedAt = 1_000

    private static func number(_ text: String?, _ name: String) throws -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text) else {
            let words =
                name == "after"
                ? "after must be the value of next from the previous page." : "\(name) must be a number."
            throw ControlError.bad("bad_page", words, path: name)
        }
        return number
    }

    private static func json(_ entry: RequestLogEntry) -> [UInt8] {
        var json = JSONWriter()
        json.put("requestId", entry.id)
        json.put("date", entry.at)
        json.put("environment", entry.environment.wireName)
        json.put("method", entry.method)
        json.put("path", entry.path)
        json.put("status", entry.status)
        json.put("errorCode", entry.code)
        json.put("bundleId", entry.app)
        json.put("keyId", entry.keyID)
        json.put("explanation", entry.explanation)
        json.put("milliseconds", entry.milliseconds)
        json.put("requestBody", entry.requestBody)
        json.put("responseBody", entry.responseBody)
        return json.finish()
    }
}

/// The filters of a request for the log.
private struct RequestLogFilter {
    let onlyRefused: Bool
    let app: String?
    let path: String?
    let status: Int64?

    /// Whether every entry matches, because no filter is set.
    var isAny: Bool { !onlyRefused && app == nil && path == nil && status == nil }

    func lets(_ entry: RequestLogEntry) -> Bool {
        if onlyRefused, entry.status < 400, entry.code == nil { return false }
        if let app, entry.app != app { return false }
        if let path, !entry.path.contains(path) { return false }
        if let status, Int64(entry.status) != status, entry.code.map({ Int64($0) }) != status { return false }
        return true
    }
}
