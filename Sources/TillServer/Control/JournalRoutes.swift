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
                query: [Schema.optional("limit", .string("At most so many, 1 to 100; 20 by default."))],
                response: .object("Entries.", [Schema.required("entries", .array("Newest first.", of: Self.entry))])
            ) { exchange in
                let limit = exchange.query.values("limit").first.map { Int($0) ?? 0 } ?? 20
                guard (1...100).contains(limit) else {
                    throw ControlError.bad("bad_limit", "limit is 1 to 100.", path: "limit")
                }
                var json = PayloadWriter()
                json.put("entries", objects: try await shop.journal.latest(limit).map(Self.json))
                return json.finish()
            },
            ControlRoute(
                method: .get,
                path: "/v1/journal/{requestId}",
                id: "explain",
                tag: "journal",
                summary: "One request, and why it was refused.",
                response: Self.entry
            ) { exchange in
                let id = exchange.parameter("requestId")
                guard let entry = try await shop.journal.entry(id) else {
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

    private static func json(_ entry: JournalEntry) -> [UInt8] {
        var json = PayloadWriter()
        json.put("requestId", entry.id)
        json.put("date", entry.at)
        json.put("environment", entry.realm.environment)
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
