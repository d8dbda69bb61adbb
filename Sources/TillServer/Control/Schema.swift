import TillJSON
import TillShop

/// The schema of a JSON value. The OpenAPI document contains it, and request bodies are checked against it.
package indirect enum Schema: Sendable {
    case string(String, format: String? = nil, oneOf: [String] = [], example: String? = nil)
    case integer(String, ClosedRange<Int64>? = nil)
    case boolean(String)
    case array(String, of: Schema)
    case object(String, [Property])
    /// An object whose keys are not checked here.
    case anyObject(String)

    /// A key of an object, with the schema of its value.
    package struct Property: Sendable {
        /// The name of the key.
        package let name: String
        /// The schema of the value.
        package let schema: Schema
        /// Whether the key is required.
        package let isRequired: Bool
    }

    /// Creates a required key.
    package static func required(_ name: String, _ schema: Schema) -> Property {
        Property(name: name, schema: schema, isRequired: true)
    }

    /// Creates an optional key.
    package static func optional(_ name: String, _ schema: Schema) -> Property {
        Property(name: name, schema: schema, isRequired: false)
    }

    // MARK: Checking values

    /// Every fault of a value, with its path.
    package func faults(in value: JSONTree, at path: String = "$") -> [JSONFault] {
        switch (self, value) {
        case (.string(_, _, let words, _), .string(let text)):
            if words.isEmpty || words.contains(text) { return [] }
            return [JSONFault(path: path, expected: "one of \(words.joined(separator: ", "))", found: value.summary)]
        case (.integer(_, let range), .number(let digits)):
            guard let number = Int64(digits), range?.contains(number) ?? true else {
                return [JSONFault(path: path, expected: Self.words(range), found: value.summary)]
            }
            return []
        case (.boolean, .bool), (.anyObject, .object):
            return []
        case (.array(_, let element), .array(let elements)):
            return elements.enumerated().flatMap { element.faults(in: $0.element, at: "\(path)[\($0.offset)]") }
        case (.object(_, let properties), .object(let members)):
            return Self.faults(properties, members, path)
        default:
            return [JSONFault(path: path, expected: kind, found: value.summary)]
        }
    }

    private static func faults(_ properties: [Property], _ members: [JSONTree.Member], _ path: String) -> [JSONFault] {
        var faults: [JSONFault] = []
        for member in members {
            // More faults would not help the client.
            guard faults.count < JSONLimits.faults else { break }
            guard let property = properties.first(where: { $0.name == member.key }) else {
                let known = properties.map(\.name).joined(separator: ", ")
                let place = JSONTree.path(path, member.key)
                faults.append(JSONFault(path: place, expected: "one of the keys \(known)", found: "an unknown key"))
                continue
            }
            // A null means the same as a missing key.
            if member.value == .null, !property.isRequired { continue }
            faults += property.schema.faults(in: member.value, at: JSONTree.path(path, member.key))
        }
        for property in properties where property.isRequired && !members.contains(where: { $0.key == property.name }) {
            faults.append(
                JSONFault(path: JSONTree.path(path, property.name), expected: property.schema.kind, found: "nothing")
            )
        }
        return faults
    }

    private var kind: String {
        switch self {
        case .string: "a string"
        case .integer(_, let range): Self.words(range)
        case .boolean: "true or false"
        case .array: "an array"
        case .object, .anyObject: "an object"
        }
    }

    private static func words(_ range: ClosedRange<Int64>?) -> String {
        range.map { "a whole number from \($0.lowerBound) to \($0.upperBound)" } ?? "a whole number"
    }

    // MARK: OpenAPI

    /// The JSON Schema of this value, in the form of OpenAPI 3.1.
    var document: JSONTree {
        switch self {
        case .string(let text, let format, let words, let example):
            var members = [JSONTree.Member("type", .string("string")), .init("description", .string(text))]
            if let format { members.append(.init("format", .string(format))) }
            if !words.isEmpty { members.append(.init("enum", .array(words.map { .string($0) }))) }
            if let example { members.append(.init("examples", .array([.string(example)]))) }
            return .object(members)
        case .integer(let text, let range):
            var members = [
                JSONTree.Member("type", .string("integer")), .init("format", .string("int64")),
                .init("description", .string(text)),
            ]
            if let range {
                members.append(.init("minimum", .number(String(range.lowerBound))))
                members.append(.init("maximum", .number(String(range.upperBound))))
            }
            return .object(members)
        case .boolean(let text):
            return .object([.init("type", .string("boolean")), .init("description", .string(text))])
        case .array(let text, let element):
            return .object([
                .init("type", .string("array")), .init("description", .string(text)), .init("items", element.document),
            ])
        case .anyObject(let text):
            return .object([.init("type", .string("object")), .init("description", .string(text))])
        case .object(let text, let properties):
            let required = properties.filter(\.isRequired).map { JSONTree.string($0.name) }
            var members = [
                JSONTree.Member("type", .string("object")), .init("description", .string(text)),
                .init("properties", .object(properties.map { .init($0.name, $0.schema.document) })),
            ]
            if !required.isEmpty { members.append(.init("required", .array(required))) }
            return .object(members)
        }
    }
}
