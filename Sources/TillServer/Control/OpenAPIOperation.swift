import HTTPTypes
import TillControl
import TillJSON

/// An operation in the OpenAPI document.
struct OpenAPIOperation {
    let route: ControlRoute
    let links: OpenAPILinks

    /// The key of the scope that a token needs for the operation. OpenAPI has scopes only for OAuth and OpenID.
    static let scopeKey = "x-scope"

    var document: JSONTree {
        let parameters =
            route.pathParameters.map { Self.parameter($0, "path") }
            + route.query.map { Self.parameter($0, "query") }
        return .members([
            "operationId": .string(route.id), "tags": .array([.string(route.tag)]),
            "summary": .string(route.summary), Self.scopeKey: .string(route.scope.rawValue),
            "parameters": parameters.isEmpty ? nil : .array(parameters), "requestBody": route.request.map(body),
            "responses": .object(answers + [.init("default", Self.failure)]),
        ])
    }

    private static func parameter(_ property: Schema.Property, _ place: String) -> JSONTree {
        let text = property.schema.text
        return .members([
            "name": .string(property.name), "in": .string(place), "required": .bool(property.isRequired),
            "description": text.isEmpty ? nil : .string(text), "schema": property.schema.document,
        ])
    }

    /// The content of a body with one media type.
    static func content(_ schema: JSONTree, _ mediaType: String = "application/json") -> JSONTree {
        .members([mediaType: .members(["schema": schema])])
    }

    /// The body. It is required if one of its properties is.
    private func body(_ schema: Schema) -> JSONTree {
        let type = route.work.isUpload ? ControlRoute.streamType : "application/json"
        let isRequired =
            switch schema.plain {
            case .object(_, let properties): properties.contains(where: \.isRequired)
            default: true
            }
        return .members(["required": .bool(isRequired), "content": Self.content(schema.document, type)])
    }

    private var answers: [JSONTree.Member] {
        guard let response = route.response?() else {
            return [.init("204", .members(["description": .string("Success, without a body.")]))]
        }
        let type = route.work.isDownload ? ControlRoute.streamType : "application/json"
        let following = links.links(from: route)
        let success = JSONTree.members([
            "description": .string("Success."), "content": Self.content(response.document, type),
            "links": following.isEmpty ? nil : .object(following),
        ])
        return [route.status, route.unchangedStatus].compactMap(\.self).map {
            JSONTree.Member(String($0.code), success)
        }
    }

    private static let failure = JSONTree.members([
        "description": .string("The request was refused; the body has the reason."),
        "content": content(.members(["$ref": .string("#/components/schemas/ErrorInfo")])),
    ])
}
