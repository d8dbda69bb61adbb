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
        return JSONTree.object([
            .init("openapi", .string("3.1.0")),
            .init("info", information),
            .init("servers", .array([.object([.init("url", .string("/"))])])),
            .init("security", .array([.object([]), .object([.init(tokenScheme, .array([]))])])),
            .init("tags", .array(ControlOperation.Tag.allCases.map(tag))),
            .init("paths", .object(paths + serverPaths)),
            .init("components", components(of: routes)),
        ]).written()
    }

    private static let information = JSONTree.object([
        .init("title", .string("Till control")), .init("version", .string(TillVersion.text)),
        .init("summary", .string("Configures, controls and inspects a Till server.")),
        .init(
            "license",
            .object([.init("name", .string("Apache-2.0")), .init("identifier", .string("Apache-2.0"))])
        ),
    ])

    private static func tag(_ tag: ControlOperation.Tag) -> JSONTree {
        let text = SchemaRecorder.documented.text("ControlOperation.Tag.\(tag)")
        return .object([.init("name", .string(tag.rawValue)), .init("description", .string(text))])
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
        let token = JSONTree.object([
            .init("type", .string("http")), .init("scheme", .string("bearer")),
            .init(
                "description",
                .string("A token of the control API. By default, a client on the same machine needs none.")
            ),
        ])
        return .object([
            .init("schemas", .object(schemas)), .init("securitySchemes", .object([.init(tokenScheme, token)])),
        ])
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
        path("/metrics", "getMetrics", "Metrics in the text format of Prometheus.", "text/plain", failure: nil),
    ]

    private static func path(
        _ path: String,
        _ id: String,
        _ summary: String,
        _ mediaType: String,
        failure: String?
    ) -> JSONTree.Member {
        let status = SchemaRecorder.documented.schema(of: HealthInfo.self).document
        let text = JSONTree.object([.init("type", .string("string"))])
        let schema = JSONTree.object([.init("schema", mediaType == "text/plain" ? text : status)])
        func answer(_ description: String) -> JSONTree {
            .object([
                .init("description", .string(description)), .init("content", .object([.init(mediaType, schema)])),
            ])
        }
        let answers =
            [JSONTree.Member("200", answer("Success."))] + (failure.map { [.init("503", answer($0))] } ?? [])
        return .init(
            path,
            .object([
                .init(
                    "get",
                    .object([
                        .init("operationId", .string(id)), .init("tags", .array([.string("server")])),
                        .init("summary", .string(summary)), .init("security", .array([.object([])])),
                        .init("responses", .object(answers)),
                    ])
                )
            ])
        )
    }
}

/// The version of this server.
package enum TillVersion {
    /// The version: three numbers, without a `v`.
    package static let text = "0.1.0"
}
