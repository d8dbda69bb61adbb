import HTTPTypes
import TillControl
import TillJSON

/// An operation in the OpenAPI document.
struct OpenAPIOperation {
    let route: ControlRoute
    let links: OpenAPILinks

    var document: JSONTree {
        var members = [
            JSONTree.Member("operationId", .string(route.id)), .init("tags", .array([.string(route.tag)])),
            .init("summary", .string(route.summary)),
        ]
        let parameters =
            route.pathParameters.map { Self.parameter($0, "path") }
            + route.query.map { Self.parameter($0, "query") }
        if !parameters.isEmpty { members.append(.init("parameters", .array(parameters))) }
        if let request = route.request { members.append(.init("requestBody", body(request))) }
        members.append(.init("responses", .object(answers + [.init("default", Self.failure)])))
        return .object(members)
    }

    private static func parameter(_ property: Schema.Property, _ place: String) -> JSONTree {
        var members: [JSONTree.Member] = [
            .init("name", .string(property.name)), .init("in", .string(place)),
            .init("required", .bool(property.isRequired)),
        ]
        if !property.schema.text.isEmpty { members.append(.init("description", .string(property.schema.text))) }
        members.append(.init("schema", property.schema.document))
        return .object(members)
    }

    /// The body. It is required if one of its properties is.
    private func body(_ schema: Schema) -> JSONTree {
        let type = route.work.isUpload ? ControlRoute.streamType : "application/json"
        let isRequired =
            switch schema.plain {
            case .object(_, let properties): properties.contains(where: \.isRequired)
            default: true
            }
        return .object([
            .init("required", .bool(isRequired)),
            .init("content", .object([.init(type, .object([.init("schema", schema.document)]))])),
        ])
    }

    private var answers: [JSONTree.Member] {
        guard let response = route.response?() else {
            return [.init("204", .object([.init("description", .string("Success, without a body."))]))]
        }
        let type = route.work.isDownload ? ControlRoute.streamType : "application/json"
        var success: [JSONTree.Member] = [
            .init("description", .string("Success.")),
            .init("content", .object([.init(type, .object([.init("schema", response.document)]))])),
        ]
        let following = links.links(from: route)
        if !following.isEmpty { success.append(.init("links", .object(following))) }
        return [route.status, route.unchangedStatus].compactMap(\.self).map {
            JSONTree.Member(String($0.code), .object(success))
        }
    }

    private static let failure = JSONTree.object([
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
}
