import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The list of upcoming events.
extension ControlAPI {
    private static let upcomingEventSchema = Schema.object(
        "An upcoming event.",
        [
            Schema.required("date", .integer("The date of the event, in milliseconds since 1970.")),
            Schema.required("customer", .string("The customer who is affected.")),
            Schema.optional(
                "event",
                .string(
                    "What happens. If several events are due at that date, the first.",
                    oneOf: UpcomingEventKind.allCases.map(\.rawValue)
                )
            ),
            Schema.optional(
                "transactionId",
                .string("The original transaction id of the subscription, or the id of the transaction to refund.")
            ),
        ]
    )

    var upcomingEventRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/coming",
                id: "listComing",
                tag: "clocks",
                summary: "Lists the upcoming events on a clock, earliest first, and the date of the next delivery.",
                query: [
                    Schema.optional(
                        "clock",
                        .string("The name of a customer clock; by default the environment's clock.")
                    ),
                    Schema.optional("limit", .string("Maximum number of results, 1 to 100; 20 by default.")),
                ],
                response: .object(
                    "Upcoming events.",
                    [
                        Schema.required("coming", .array("The events, earliest first.", of: Self.upcomingEventSchema)),
                        Schema.optional(
                            "nextAttemptDate",
                            .integer("When the next delivery is due, in milliseconds since 1970; may be in the past.")
                        ),
                    ]
                )
            ) { try await listComing($0) }
        ]
    }

    private func listComing(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let limit = exchange.query.values("limit").first.map { Int($0) ?? 0 } ?? 20
        guard (1...100).contains(limit) else {
            throw ControlError.bad("bad_limit", "limit must be 1 to 100.", path: "limit")
        }
        let name = ClockName(scope, own: exchange.query.values("clock").first)
        try check(name)
        let due = try await shop.storage.dueAccounts(on: name, until: Timestamp(milliseconds: .max), limit: limit)
        var written: [[UInt8]] = []
        for entry in due {
            let account = try await shop.storage.storedAccount(entry.id)?.account
            written.append(Self.json(entry, account.flatMap { shop.upcomingEvents(to: $0) }))
        }
        var json = JSONWriter()
        json.put("coming", objects: written)
        json.put("nextAttemptDate", try await shop.storage.nextDue(on: name).delivery)
        return json.finish()
    }

    private static func json(_ due: DueAccount, _ event: UpcomingEvent?) -> [UInt8] {
        var json = JSONWriter()
        json.put("date", due.due)
        json.put("customer", due.customer)
        json.put("event", event?.kind.rawValue)
        json.put("transactionId", event?.transaction.wireForm)
        return json.finish()
    }
}
