import HTTPTypes
import TillControl
import TillJSON

/// The links of the OpenAPI document: an answer that contains the identifier in the path of another operation leads to
/// that operation. Generated clients and test tools follow them.
struct OpenAPILinks {
    /// The operations to which a link can lead.
    private let targets: [ControlRoute]

    init(_ routes: [ControlRoute]) { targets = routes.filter { !$0.pathParameters.isEmpty } }

    /// The links from the answer of a changing operation, by the id of the operation to which they lead.
    func links(from route: ControlRoute) -> [JSONTree.Member] {
        guard route.method != .get, let response = route.response?() else { return [] }
        let own = Set(route.pathParameters.map(\.name))
        let found = Self.identifiers(in: response, at: "$response.body#")
        return targets.compactMap { target in
            let names = target.pathParameters.map(\.name)
            let new = names.filter { !own.contains($0) }
            guard new.count == 1, let name = new.first, let place = found[name] else { return nil }
            let parameters = names.map { parameter in
                JSONTree.Member(parameter, .string(parameter == name ? place : "$request.path.\(parameter)"))
            }
            let link = JSONTree.members(["operationId": .string(target.id), "parameters": .object(parameters)])
            return JSONTree.Member(target.id, link)
        }
    }

    /// The required strings of an object and of the objects in it, with the places where they are.
    private static func identifiers(in schema: Schema, at place: String) -> [String: String] {
        guard case .object(_, let properties) = schema.plain else { return [:] }
        var found: [String: String] = [:]
        for property in properties {
            let inner = "\(place)/\(property.name)"
            switch property.schema.plain {
            case .string where property.isRequired: found[property.name] = inner
            case .object: found.merge(identifiers(in: property.schema, at: inner)) { first, _ in first }
            default: break
            }
        }
        return found
    }
}
