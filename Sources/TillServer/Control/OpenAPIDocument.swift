import HTTPTypes
import TillControl
import TillJSON
import TillShop

/// The OpenAPI 3.1 document of the control API, generated from its routes.
enum OpenAPIDocument {
    static func bytes(_ routes: [ControlRoute]) -> [UInt8] {
        var paths: [JSONTree.Member] = []
        var seen: Set<String> = []
        for path in routes.map(\.path) where seen.insert(path).inserted {
            let operations = routes.filter { $0.path == path }.map {
                JSONTree.Member($0.method.rawValue.lowercased(), operation($0))
            }
            paths.append(.init(path, .object(operations)))
        }
        return JSONTree.object([
            .init("openapi", .string("3.1.0")),
            .init(
                "info",
                .object([
                    .init("title", .string("Till control")), .init("version", .string(TillVersion.text)),
                    .init("summary", .string("Configures, controls and inspects a Till server.")),
                    .init(
                        "license",
                        .object([.init("name", .string("Apache-2.0")), .init("identifier", .string("Apache-2.0"))])
                    ),
                ])
            ),
            .init("paths", .object(paths)),
            .init("components", .object([.init("schemas", components(of: routes))])),
        ]).written()
    }

    /// Every named schema, sorted by name.
    private static func components(of routes: [ControlRoute]) -> JSONTree {
        var found: [String: Schema] = [:]
        SchemaRecorder.documented.schema(of: ErrorInfo.self).collectComponents(into: &found)
        for route in routes {
            let parameters = route.query.map(\.schema)
            for schema in parameters + [route.request, route.response].compactMap(\.self) {
                schema.collectComponents(into: &found)
            }
        }
        return .object(found.sorted { $0.key < $1.key }.map { JSONTree.Member($0.key, $0.value.document) })
    }

    private static func operation(_ route: ControlRoute) -> JSONTree {
        var members = [
            JSONTree.Member("operationId", .string(route.id)), .init("tags", .array([.string(route.tag)])),
            .init("summary", .string(route.summary)),
        ]
        let parameters =
            pathParameters(route.path) + route.query.map { parameter($0.name, "query", $0.isRequired, $0.schema) }
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        if let request = route.request {
            let type = if case .upload? = route.transfer { Transfer.mediaType } else { "application/json" }
            let content = JSONTree.object([.init(type, .object([.init("schema", request.document)]))])
            members.append(.init("requestBody", .object([.init("content", content)])))
        }
        var success = [
            JSONTree.Member("description", .string(route.response == nil ? "Success, without a body." : "Success."))
        ]
        if let response = route.response {
            let type = if case .download? = route.transfer { Transfer.mediaType } else { "application/json" }
            let content = JSONTree.object([.init(type, .object([.init("schema", response.document)]))])
            success.append(.init("content", content))
        }
        let failure = JSONTree.object([
            .init("description", .string("The request was refused; the body has the reason.")),
            .init(
                "content",
                .object([
                    .init(
                        "application/json",
                        .object([.init("schema", .object([.init("$ref", .string("#/components/schemas/ErrorInfo"))]))])
                    )
                ])
            ),
        ])
        let statuses = [route.response == nil ? .noContent : route.status, route.unchangedStatus].compactMap(\.self)
        let answers = statuses.map { JSONTree.Member(String($0.code), .object(success)) }
        members.append(.init("responses", .object(answers + [.init("default", failure)])))
        return .object(members)
    }

    private static func pathParameters(_ path: String) -> [JSONTree] {
        path.split(separator: "/").filter { $0.hasPrefix("{") }.map { part in
            let name = String(part.dropFirst().dropLast())
            return parameter(name, "path", true, .string(descriptions[name] ?? name))
        }
    }

    private static let descriptions = [
        "bundleId": "The app's bundle identifier.",
        "environment": "The environment: production or sandbox.",
        "customer": "The customer's name in Till.",
        "transactionId": "A transaction id.",
        "originalTransactionId": "The subscription's original transaction id, or any of its transaction ids.",
        "number": "The number of a pending purchase.",
        "clock": "The name of a customer clock.",
        "endpoint": "The name of an endpoint, such as primary.",
        "jobId": "A job id.",
        "notificationUUID": "The notificationUUID of a notification.",
        "deliveryToken": "The token from the listen operation.",
        "productId": "A product identifier.",
        "groupId": "A subscription group identifier.",
        "keyId": "An API key id.",
        "name": "The name of a snapshot: letters, digits, dots, dashes and underscores.",
        "tokenName": "The name of a control API token.",
        "requestId": "The request id in an answer of the App Store Server API.",
    ]

    private static func parameter(_ name: String, _ place: String, _ isRequired: Bool, _ schema: Schema) -> JSONTree {
        .object([
            .init("name", .string(name)), .init("in", .string(place)), .init("required", .bool(isRequired)),
            .init("schema", schema.document),
        ])
    }
}

/// The version of this server.
package enum TillVersion {
    /// The version: three numbers, without a `v`.
    package static let text = "0.1.0"
}
