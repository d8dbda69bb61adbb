import HTTPTypes
import TillCore
import TillShop
import TillStorage

/// What will happen by itself.
extension ControlAPI {
    private static let comingSchema = Schema.object(
        "Something that happens by itself.",
        [
            Schema.required("date", .integer("When, in milliseconds since 1970.")),
            Schema.required("customer", .string("To whom.")),
            Schema.optional(
                "event",
                .string("What happens first to the customer then.", oneOf: UpcomingEvent.Kind.allCases.map(\.rawValue))
            ),
            Schema.optional("transactionId", .string("The subscription's original transaction, or what is to refund.")),
        ]
    )

    var comingRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/coming",
                id: "listComing",
                tag: "clocks",
                summary: "What happens by itself on a clock, the earliest first, and what is to be delivered.",
                query: [
                    Schema.optional("clock", .string("Of customers' own; left out, that of the app's environment.")),
                    Schema.optional("limit", .string("At most so many, 1 to 100; 20 by default.")),
                ],
                response: .object(
                    "What is to come.",
                    [
                        Schema.required("coming", .array("The earliest first.", of: Self.comingSchema)),
                        Schema.optional("nextAttemptDate", .integer("When the next delivery is due or was.")),
                    ]
                )
            ) { try await listComing($0) }
        ]
    }

    private func listComing(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let limit = exchange.query.values("limit").first.map { Int($0) ?? 0 } ?? 20
        guard (1...100).contains(limit) else {
            throw ControlError.bad("bad_limit", "limit is 1 to 100.", path: "limit")
        }
        let name = ClockName(scope, own: exchange.query.values("clock").first)
        try check(name)
        let due = try await shop.storage.dueAccounts(on: name, until: Timestamp(milliseconds: .max), limit: limit)
        var written: [[UInt8]] = []
        for entry in due {
            let account = try await shop.storage.storedAccount(entry.id)?.account
            written.append(Self.json(entry, account.flatMap { shop.coming(to: $0) }))
        }
        var json = PayloadWriter()
        json.put("coming", objects: written)
        json.put("nextAttemptDate", try await shop.storage.nextDue(on: name).delivery)
        return json.finish()
    }

    private static func json(_ due: DueAccount, _ event: UpcomingEvent?) -> [UInt8] {
        var json = PayloadWriter()
        json.put("date", due.due)
        json.put("customer", due.customer)
        json.put("event", event?.kind.rawValue)
        json.put("transactionId", event?.transaction.wireForm)
        return json.finish()
    }
}
