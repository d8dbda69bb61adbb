import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on the endpoints that receive notifications.
extension ControlAPI {
    private static let endpointSchema = Schema.object(
        "An endpoint: the URL of a developer's server that receives notifications.",
        [
            Schema.required(
                "name",
                .string("The name: primary, whose deliveries Get Notification History reports, or another name.")
            ),
            Schema.required("url", .string("The URL to which notifications are sent.")),
            Schema.required(
                "types",
                .array(
                    "The notification types that the endpoint receives; empty for all types.",
                    of: .string("A notification type.")
                )
            ),
            Schema.required("version", .integer("The version of the notifications: 1 or 2.", 1...2)),
        ]
    )

    var endpointRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/endpoints",
                id: "listEndpoints",
                tag: "endpoints",
                summary: "Lists the endpoints. While till listen runs, it is an endpoint, too.",
                response: .object(
                    "Endpoints.",
                    [Schema.required("endpoints", .array("The endpoints, primary first.", of: Self.endpointSchema))]
                )
            ) { exchange in
                var json = JSONWriter()
                json.put("endpoints", objects: shop.endpoints(of: try exchange.scope()).map(Self.json))
                return json.finish()
            },
            ControlRoute(
                method: .put,
                path: "/v1/apps/{bundleId}/{environment}/endpoints/{endpoint}",
                id: "setEndpoint",
                tag: "endpoints",
                summary: "Sets the URL and the notification types of an endpoint.",
                request: .object(
                    "The settings of the endpoint.",
                    [
                        Schema.required("url", .string("An http or https URL.", example: "https://example.com/apple")),
                        Schema.optional(
                            "types",
                            .array(
                                "The notification types to send; by default all types.",
                                of: .string("A type such as DID_RENEW or EXPIRED/VOLUNTARY.")
                            )
                        ),
                        Schema.optional(
                            "version",
                            .integer("The version of the notifications: 1 or 2; 2 by default.", 1...2)
                        ),
                    ]
                ),
                response: Self.endpointSchema
            ) { try await set($0) },
            ControlRoute(
                method: .delete,
                path: "/v1/apps/{bundleId}/{environment}/endpoints/{endpoint}",
                id: "removeEndpoint",
                tag: "endpoints",
                summary: "Removes an endpoint and discards its pending deliveries."
            ) { exchange in
                let scope = try exchange.scope()
                let name = exchange.parameter("endpoint")
                guard shop.registry.rules(of: scope).endpoints.contains(where: { $0.name == name }) else {
                    throw ControlError.notFound(
                        "unknown_endpoint",
                        "There is no endpoint \(name.prefix(64)). List them with till endpoint list."
                    )
                }
                try await shop.updateRules(of: scope) { rules in rules.endpoints.removeAll { $0.name == name } }
                return []
            },
        ]
    }

    private func set(_ exchange: ControlExchange) async throws -> [UInt8] {
        let scope = try exchange.scope()
        let name = exchange.parameter("endpoint")
        let isPlain = name.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0) || $0 == 0x2d
        }
        guard isPlain, (1...64).contains(name.utf8.count), name != "listen" else {
            throw ControlError.bad(
                "bad_endpoint",
                "An endpoint's name must have 1 to 64 letters, digits or dashes. The name listen is reserved.",
                path: "endpoint"
            )
        }
        let url = exchange.body.text("url") ?? ""
        guard EndpointRecord.accepts(url: url), url.utf8.count <= 2_048 else {
            throw ControlError.bad(
                "bad_url",
                "The URL must begin with http:// or https:// and have a host.",
                path: "$.url"
            )
        }
        if let reason = await shop.destinations.refusal(ofEndpoint: url) {
            throw ControlError.bad("bad_url", "Till cannot send notifications to this URL: \(reason).", path: "$.url")
        }
        let types = exchange.body.texts("types")
        let version = exchange.body.number("version").flatMap { NotificationVersion(rawValue: Int($0)) } ?? .two
        for (place, words) in types.enumerated() where !Self.isNotice(words, version) {
            let example = version == .one ? "DID_RENEW, or INITIAL_BUY" : "DID_RENEW, or EXPIRED/VOLUNTARY"
            throw ControlError.bad(
                "bad_type",
                "\(words.prefix(64)) is not a notification type of version \(version.rawValue). "
                    + "Give a type such as \(example).",
                path: "$.types[\(place)]"
            )
        }
        let record = EndpointRecord(name: name, url: url, types: types, version: version)
        try await shop.updateRules(of: scope) { rules in
            rules.endpoints.removeAll { $0.name == name }
            rules.endpoints.append(record)
            rules.endpoints.sort { left, right in
                left.name == EndpointRecord.primary || (right.name != EndpointRecord.primary && left.name < right.name)
            }
        }
        return Self.json(record)
    }

    /// Whether a text is a notification type of a version, or a type and a subtype.
    private static func isNotice(_ words: String, _ version: NotificationVersion) -> Bool {
        if version == .one { return VersionOneType(rawValue: words) != nil }
        guard let type = NotificationType(rawValue: String(words.prefix { $0 != "/" })) else { return false }
        guard words.contains("/") else { return true }
        return type.subtypes.contains { $0.map { Notice(type, $0).words == words } ?? false }
    }

    private static func json(_ endpoint: EndpointRecord) -> [UInt8] {
        var json = JSONWriter()
        json.put("name", endpoint.name)
        json.put("url", endpoint.url)
        json.put("types", endpoint.types)
        json.put("version", endpoint.version.rawValue)
        return json.finish()
    }
}
