import TillControl
import TillCore
import TillShop
import TillSigning
import TillStorage

/// Operations on the endpoints that receive notifications.
extension ControlAPI {
    var endpointRoutes: [ControlRoute] {
        [
            ControlRoute(ListEndpoints.self) { call in
                shop.endpoints(of: try call.scope()).map { EndpointInfo($0) }
            },
            ControlRoute(SetEndpoint.self) { call in
                let scope = try call.scope()
                let present = shop.registry.rules(of: scope).endpoint(call.endpoint)
                var endpoint = present ?? EndpointRecord(name: call.endpoint, url: call.url)
                endpoint.url = call.url
                endpoint.types = call.types ?? []
                endpoint.version = call.version ?? .two
                return try await store(endpoint, in: scope)
            },
            ControlRoute(UpdateEndpoint.self) { call in
                let scope = try call.scope()
                var endpoint = try endpoint(call.endpoint, of: scope)
                endpoint.url = call.url ?? endpoint.url
                endpoint.types = call.types ?? endpoint.types
                endpoint.version = call.version ?? endpoint.version
                if let paused = call.paused { endpoint.isPaused = paused ? true : nil }
                return try await store(endpoint, in: scope)
            },
            ControlRoute(RemoveEndpoint.self) { call in
                let scope = try call.scope()
                let name = try endpoint(call.endpoint, of: scope).name
                try await shop.setup.updateRules(of: scope) { settings in
                    settings.endpoints.removeAll { $0.name == name }
                }
                return NoAnswer()
            },
        ]
    }

    private func endpoint(_ name: String, of scope: AccountScope) throws -> EndpointRecord {
        guard let endpoint = shop.registry.rules(of: scope).endpoint(name) else {
            throw ControlError.notFound(
                "unknown_endpoint",
                "There is no endpoint \(name.prefix(64)). List them with till endpoint list."
            )
        }
        return endpoint
    }

    private func store(_ endpoint: EndpointRecord, in scope: AccountScope) async throws -> EndpointInfo {
        try Self.checkName(of: endpoint)
        try await checkURL(of: endpoint)
        try Self.checkTypes(of: endpoint)
        try await shop.setup.updateRules(of: scope) { settings in
            settings.endpoints.removeAll { $0.name == endpoint.name }
            settings.endpoints.append(endpoint)
            settings.endpoints.sort { left, right in
                left.name == EndpointRecord.primary || (right.name != EndpointRecord.primary && left.name < right.name)
            }
        }
        return EndpointInfo(endpoint)
    }

    private static func checkName(of endpoint: EndpointRecord) throws {
        let name = endpoint.name
        guard name.isPlain(1...64, and: "-"), name != EndpointRecord.listening else {
            throw ControlError.bad(
                "bad_endpoint",
                "An endpoint's name must have 1 to 64 letters, digits or dashes. The name listen is reserved.",
                path: "endpoint"
            )
        }
    }

    private func checkURL(of endpoint: EndpointRecord) async throws {
        guard EndpointRecord.accepts(url: endpoint.url), endpoint.url.utf8.count <= 2_048 else {
            throw ControlError.bad(
                "bad_url",
                "The URL must begin with http:// or https:// and have a host.",
                path: "$.url"
            )
        }
        if let reason = await shop.destinations.refusal(ofEndpoint: endpoint.url) {
            throw ControlError.bad("bad_url", "Till cannot send notifications to this URL: \(reason).", path: "$.url")
        }
    }

    private static func checkTypes(of endpoint: EndpointRecord) throws {
        let version = endpoint.version
        for (place, words) in endpoint.types.enumerated() where !isNotice(words, version) {
            let example = version == .one ? "DID_RENEW, or INITIAL_BUY" : "DID_RENEW, or EXPIRED/VOLUNTARY"
            throw ControlError.bad(
                "bad_type",
                "\(words.prefix(64)) is not a notification type of version \(version.rawValue). "
                    + "Give a type such as \(example).",
                path: "$.types[\(place)]"
            )
        }
    }

    /// Whether a text is a notification type of a version, or a type and a subtype.
    private static func isNotice(_ words: String, _ version: NotificationVersion) -> Bool {
        if version == .one { return VersionOneType(rawValue: words) != nil }
        guard let type = NotificationType(rawValue: String(words.prefix { $0 != "/" })) else { return false }
        guard words.contains("/") else { return true }
        return type.subtypes.contains { $0.map { Notice(type, $0).words == words } ?? false }
    }
}

extension EndpointInfo {
    init(_ endpoint: EndpointRecord) {
        self.init(name: endpoint.name, url: endpoint.url, types: endpoint.types, version: endpoint.version)
        paused = endpoint.isPaused
    }
}
