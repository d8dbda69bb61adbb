import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations for `till listen`, which fetches notifications over the control API and forwards them to a local server.
extension ControlAPI {
    var listenRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/listen",
                id: "listen",
                tag: "listen",
                summary: "Waits for the next notification that the client must forward as the primary endpoint.",
                query: [Schema.optional("wait", .string("How many seconds to wait, 0 to 50; 25 by default."))],
                response: .object(
                    "The next notification, or an empty object if none was due in time.",
                    [
                        Schema.optional(
                            "deliveryToken",
                            .string("The token with which the client reports the result of the attempt.")
                        ),
                        Schema.optional("notificationUUID", .string("The id of the notification.")),
                        Schema.optional("notificationType", .string("The type of the notification.")),
                        Schema.optional("subtype", .string("The subtype of the notification.")),
                        Schema.optional("body", .anyObject("The body that the client posts to the local server.")),
                    ]
                )
            ) { exchange in
                let scope = try exchange.scope()
                let wait = exchange.query.values("wait").first.map { Int($0) ?? -1 } ?? 25
                guard (0...50).contains(wait) else {
                    throw ControlError.bad("bad_wait", "wait must be 0 to 50 seconds.", path: "wait")
                }
                let offer = try await shop.nextOffer(in: scope, wait: .seconds(wait))
                var json = JSONWriter(capacity: 32_768)
                if let offer {
                    json.put("deliveryToken", offer.token)
                    json.put("notificationUUID", offer.entry.uuid)
                    json.put("notificationType", offer.entry.type)
                    json.put("subtype", offer.entry.subtype)
                    json.put("body", written: offer.body)
                }
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/listen/{deliveryToken}",
                id: "answerDelivery",
                tag: "listen",
                summary: "Reports the result of a forwarded notification.",
                request: .object(
                    "The result of the delivery attempt.",
                    [
                        Schema.optional("status", .integer("The HTTP status of the local server's answer.", 100...599)),
                        Schema.optional(
                            "result",
                            .string(
                                "The error, if the local server returned no status.",
                                oneOf: SendAttemptResult.allCases.map(\.rawValue)
                            )
                        ),
                    ]
                ),
                waitsForRestore: false
            ) { exchange in
                _ = try exchange.scope()
                let status = exchange.body.number("status").map { Int($0) }
                let result: SendAttemptResult =
                    if let status {
                        (200...206).contains(status) ? .success : .unsuccessfulHTTPResponseCode
                    } else {
                        exchange.body.text("result").flatMap(SendAttemptResult.init(rawValue:)) ?? .other
                    }
                let delivered = AttemptResult(result: result, status: status, milliseconds: 0)
                guard shop.listeners.answer(exchange.parameter("deliveryToken"), delivered) else {
                    throw ControlError.notFound(
                        "unknown_delivery",
                        "This delivery has timed out. Till retries it later."
                    )
                }
                return []
            },
        ]
    }
}
