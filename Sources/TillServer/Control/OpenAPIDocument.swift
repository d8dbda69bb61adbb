import HTTPTypes
import TillControl
import TillJSON
import TillShop

/// The OpenAPI 3.1 document of the control API, generated from its routes.
enum OpenAPIDocument {
    static func bytes(_ routes: [ControlRoute]) -> [UInt8] {
        let links = OpenAPILinks(routes)
        var paths: [JSONTree.Member] = []
        var seen: Set<String> = []
        for path in routes.map(\.path) where seen.insert(path).inserted {
            let operations = routes.filter { $0.path == path }.map {
                JSONTree.Member($0.method.rawValue.lowercased(), OpenAPIOperation(route: $0, links: links).document)
            }
            paths.append(.init(path, .object(operations)))
        }
        return JSONTree.members([
            "openapi": .string("3.1.0"), "info": information,
            "servers": .array([.members(["url": .string("/")])]),
            "security": .array([.object([]), .members([tokenScheme: .array([])])]),
            "tags": .array(ControlOperation.Tag.allCases.map(tag)), "paths": .object(paths + serverPaths),
            "components": components(of: routes),
        ]).written()
    }

    private static let information = JSONTree.members([
        "title": .string("Till control"), "version": .string(TillVersion.text),
        "summary": .string("Configures, controls and inspects a Till server."),
        "license": .members(["name": .string("Apache-2.0"), "identifier": .string("Apache-2.0")]),
    ])

    private static func tag(_ tag: ControlOperation.Tag) -> JSONTree {
        let text = SchemaRecorder.documented.text("ControlOperation.Tag.\(tag)")
        return .members(["name": .string(tag.rawValue), "description": .string(text)])
    }

    // MARK: Components

    /// The name of the security scheme.
    private static let tokenScheme = "controlToken"

    /// Every component. An enumeration that only answers contain is open, so that a client that was generated from this
    /// document can read the answers of a later version.
    private static func components(of routes: [ControlRoute]) -> JSONTree {
        var sent: [String: Schema] = [:]
        for route in routes {
            for schema in (route.pathParameters + route.query).map(\.schema) + [route.request].compactMap(\.self) {
                schema.collectComponents(into: &sent)
            }
        }
        var found = sent
        let recorder = SchemaRecorder.documented
        let answers = [recorder.schema(of: ErrorInfo.self), recorder.schema(of: HealthInfo.self)]
        for schema in answers + routes.compactMap({ $0.response?() }) { schema.collectComponents(into: &found) }
        let schemas = found.sorted { $0.key < $1.key }.map { name, schema in
            JSONTree.Member(name, sent[name] == nil ? schema.openDocument : schema.document)
        }
        let words = "A token of the control API. By default, a client on the same machine needs none."
        let token = JSONTree.members([
            "type": .string("http"), "scheme": .string("bearer"), "description": .string(words),
        ])
        return .members(["schemas": .object(schemas), "securitySchemes": .members([tokenScheme: token])])
    }

    // MARK: Routes of the server itself

    /// Routes for load balancers and monitoring, which are not operations.
    private static let serverPaths: [JSONTree.Member] = [
        path("/healthz", "getHealth", "Answers while the process runs.", "application/json", failure: nil),
        path(
            "/readyz",
            "getReadiness",
            "Answers 200 when Till can commit purchases.",
            "application/json",
            failure: "Till cannot commit purchases: it stops, the disk is full, or the database does not answer."
        ),
        path(
            "/metrics",
            "getMetrics",
            "Metrics in the text format of Prometheus.",
            "text/plain",
            failure: nil,
            scope: .metrics
        ),
    ]

    private static func path(
        _ path: String,
        _ id: String,
        _ summary: String,
        _ mediaType: String,
        failure: String?,
        scope: ControlScope? = nil
    ) -> JSONTree.Member {
        let status = SchemaRecorder.documented.schema(of: HealthInfo.self).document
        let schema = mediaType == "text/plain" ? .members(["type": .string("string")]) : status
        func answer(_ description: String) -> JSONTree {
            .members([
                "description": .string(description), "content": OpenAPIOperation.content(schema, mediaType),
            ])
        }
        let operation = JSONTree.members([
            "operationId": .string(id), "tags": .array([.string("server")]), "summary": .string(summary),
            "security": scope == nil ? .array([.object([])]) : nil,
            OpenAPIOperation.scopeKey: .text(scope?.rawValue),
            "responses": .members(["200": answer("Success."), "503": failure.map(answer)]),
        ])
        return .init(path, .members(["get": operation]))
    }
}

/// The version of this server.
package enum TillVersion {
    /// The version: three numbers, without a `v`.
    package static let text = "0.1.0"
}
