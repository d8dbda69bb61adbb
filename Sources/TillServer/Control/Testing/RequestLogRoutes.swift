import HTTPTypes
import TillCore
import TillShop
import TillStorage

/// Requests of Apple's routes, and why they were refused.
extension ControlAPI {
    private static let entry = Schema.object(
        "A request.",
        [
            Schema.required("requestId", .string("What the answer carried.")),
            Schema.required("date", .integer("Milliseconds since 1970, wall clock.")),
            Schema.required("environment", .string("Production or Sandbox.")),
            Schema.required("method", .string("The method.")),
            Schema.required("path", .string("The path.")),
            Schema.required("status", .integer("The HTTP status.")),
            Schema.optional("errorCode", .integer("The documented code; absent for a 401.")),
            Schema.optional("bundleId", .string("The app of the token.")),
            Schema.optional("keyId", .string("The key of the token.")),
            Schema.required("explanation", .string("What was wrong, and what would have made it succeed.")),
            Schema.optional("milliseconds", .integer("How long the answer took.")),
            Schema.optional("requestBody", .string("What was sent, where bodies are kept (--journal-bodies).")),
            Schema.optional("responseBody", .string("What was answered, in the same way.")),
        ]
    )

    var journalRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/journal",
                id: "listJournal",
                tag: "journal",
                summary: "The newest requests first: the refused ones, or all with --journal-all.",
                query: [
                    Schema.optional("refused", .string("true: only what was refused.")),
                    Schema.optional("bundleId", .string("Only requests with a token of this app.")),
                    Schema.optional("path", .string("Only where the path holds this text.")),
                    Schema.optional("status", .string("Only those answered with this HTTP status, or error code.")),
                    Schema.optional("after", .string("`next` of the page before.")),
                    Schema.optional("limit", .string("At most so many, 1 to 100; 20 by default.")),
                ],
                response: .object(
                    "Entries.",
                    [
                        Schema.required("entries", .array("Newest first.", of: Self.entry)),
                        Schema.optional(
                            "next",
                            .string(
                                "`after` for the next page; absent on the last. A page may have fewer than `limit` "
                                    + "entries, or none, since a question looks at 1,000 at the most."
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
                summary: "One request, and why it was refused.",
                response: Self.entry
            ) { exchange in
                let id = exchange.parameter("requestId")
                guard let entry = try await shop.requestLog.entry(id) else {
                    throw ControlError.notFound(
                        "unknown_request",
                        "No refused request has the id \(id.prefix(64)). The journal keeps the last "
                            + "\(shop.settings.journalLength); requests that succeed are in it with "
                            + "--journal-all only."
                    )
                }
                return Self.json(entry)
            },
        ]
    }

    // MARK: Lists

    private func listJournal(_ exchange: ControlExchange) async throws -> [UInt8] {
        let query = exchange.query
        let limit = query.values("limit").first.map { Int($0) ?? 0 } ?? 20
        guard (1...100).contains(limit) else {
            throw ControlError.bad("bad_limit", "limit is 1 to 100.", path: "limit")
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
                if found.count == limit || looked == Self.mostLookedAt {
                    hasMore = true
                    break
                }
                looked += 1
                before = entry.number
                if filter.lets(entry.entry) { found.append(entry.entry) }
            }
            isOver = page.count < size
        }
        var json = PayloadWriter()
        json.put("entries", objects: found.map(Self.json))
        if hasMore { json.put("next", before.map { String($0) }) }
        return json.finish()
    }

    private static let entriesAtOnce = 250
    /// Entries that one question looks at.
    private static let mostLookedAt = 1_000

    private static func number(_ text: String?, _ name: String) throws -> Int64? {
        guard let text else { return nil }
        guard let number = Int64(text) else {
            let words = name == "after" ? "after is the next of the page before." : "\(name) is a number."
            throw ControlError.bad("bad_page", words, path: name)
        }
        return number
    }

    private static func json(_ entry: RequestLogEntry) -> [UInt8] {
        var json = PayloadWriter()
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

/// Which entries of the request log somebody wants to see.
private struct RequestLogFilter {
    let onlyRefused: Bool
    let app: String?
    let path: String?
    let status: Int64?

    /// Whether it lets everything through.
    var isAny: Bool { !onlyRefused && app == nil && path == nil && status == nil }

    func lets(_ entry: RequestLogEntry) -> Bool {
        if onlyRefused, entry.status < 400, entry.code == nil { return false }
        if let app, entry.app != app { return false }
        if let path, !entry.path.contains(path) { return false }
        if let status, Int64(entry.status) != status, entry.code.map({ Int64($0) }) != status { return false }
        return true
    }
}
