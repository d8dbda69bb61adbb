import TillJSON

/// The schema of a JSON value. The OpenAPI document contains it, and request bodies are checked against it.
package indirect enum Schema: Sendable {
    case string(String, format: String? = nil, oneOf: [String] = [], example: String? = nil)
    case integer(String, ClosedRange<Int64>? = nil)
    /// One of several integers.
    case integerOf(String, [Int64])
    case boolean(String)
    case array(String, of: Schema)
    case object(String, [Property])
    /// An object with any keys, whose values have one schema.
    case map(String, of: Schema)
    /// A number that may have a fraction.
    case number(String)
    /// An object whose keys are not checked here.
    case anyObject(String)
    /// A value whose schema is a component of the OpenAPI document, with the name of its Swift type. The description is
    /// that of the property.
    case component(String, name: String, Schema)

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

    /// The value of a text in a path or in a query. A text that does not fit stays a string, and the check finds it.
    package func value(of text: String) -> JSONTree {
        switch self {
        case .component(_, _, let schema): schema.value(of: text)
        case .array(_, let element): .array(text.split(separator: ",").map { element.value(of: String($0)) })
        case .integer, .integerOf: Int64(text).map { .number(String($0)) } ?? .string(text)
        case .boolean: ["true": .bool(true), "false": .bool(false)][text] ?? .string(text)
        default: .string(text)
        }
    }

    /// The description.
    package var text: String {
        switch self {
        case .string(let text, _, _, _), .integer(let text, _), .integerOf(let text, _), .boolean(let text),
            .array(let text, _), .object(let text, _), .number(let text), .anyObject(let text),
            .map(let text, _), .component(let text, _, _):
            text
        }
    }

    /// Whether the value is an array.
    package var isList: Bool { if case .array = plain { true } else { false } }

    /// The schema itself, without the name of a component.
    package var plain: Schema { if case .component(_, _, let schema) = self { schema } else { self } }

    // MARK: Checking values

    /// Every fault of a value, with its path.
    package func faults(in value: JSONTree, at path: String = "$") -> [JSONFault] {
        switch (self, value) {
        case (.component(_, _, let schema), _):
            return schema.faults(in: value, at: path)
        case (.number, .number(let digits)) where Double(digits)?.isFinite == true:
            return []
        case (.string(_, _, let words, _), .string(let text)):
            if words.isEmpty || words.contains(text) { return [] }
            return [JSONFault(path: path, expected: "one of \(words.joined(separator: ", "))", found: value.summary)]
        case (.integer(_, let range), .number(let digits)):
            guard let number = Int64(digits), range?.contains(number) ?? true else {
                return [JSONFault(path: path, expected: Self.words(range), found: value.summary)]
            }
            return []
        case (.integerOf(_, let numbers), .number(let digits)):
            if let number = Int64(digits), numbers.contains(number) { return [] }
            return [JSONFault(path: path, expected: Self.words(numbers), found: value.summary)]
        case (.boolean, .bool), (.anyObject, .object):
            return []
        case (.array(_, let element), .array(let elements)):
            return elements.enumerated().flatMap { element.faults(in: $0.element, at: "\(path)[\($0.offset)]") }
        case (.map(_, let value), .object(let members)):
            return members.flatMap { value.faults(in: $0.value, at: JSONTree.path(path, $0.key)) }
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
                let successor = RetiredNames.keys[member.key].map { "; it is \($0) now" } ?? ""
                let found = "an unknown key\(successor)"
                faults.append(JSONFault(path: place, expected: "one of the keys \(known)", found: found))
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
        case .integerOf(_, let numbers): Self.words(numbers)
        case .number: "a number"
        case .component(_, _, let schema): schema.kind
        case .boolean: "true or false"
        case .array: "an array"
        case .object, .map, .anyObject: "an object"
        }
    }

    private static func words(_ range: ClosedRange<Int64>?) -> String {
        range.map { "a whole number from \($0.lowerBound) to \($0.upperBound)" } ?? "a whole number"
    }

    private static func words(_ numbers: [Int64]) -> String {
        "one of \(numbers.map(String.init).joined(separator: ", "))"
    }

    // MARK: OpenAPI

    /// Adds every component in this schema, by name.
    package func collectComponents(into found: inout [String: Schema]) {
        switch self {
        case .component(_, let name, let schema):
            guard found[name] == nil else { return }
            found[name] = schema
            schema.collectComponents(into: &found)
        case .array(_, let element), .map(_, let element): element.collectComponents(into: &found)
        case .object(_, let properties):
            for property in properties { property.schema.collectComponents(into: &found) }
        default: break
        }
    }

    /// The JSON Schema of an enumeration to which later versions may add values. Clients must accept unknown values.
    package var openDocument: JSONTree {
        switch self {
        case .string(let text, _, let words, _) where !words.isEmpty:
            Self.open("string", text, words.map { .string($0) })
        case .integerOf(let text, let numbers):
            Self.open("integer", text, numbers.map { .number(String($0)) })
        default: document
        }
    }

    private static func open(_ type: String, _ text: String, _ values: [JSONTree]) -> JSONTree {
        typed(type, text + "\n\nLater versions may add values.", [.init("x-extensible-enum", .array(values))])
    }

    /// The JSON Schema of this value, in the form of OpenAPI 3.1.
    package var document: JSONTree {
        switch self {
        case .component(let text, let name, _):
            let reference = JSONTree.Member("$ref", .string("#/components/schemas/\(name)"))
            return .object([reference] + Self.description(text))
        case .integerOf(let text, let numbers):
            return Self.typed("integer", text, [.init("enum", .array(numbers.map { .number(String($0)) }))])
        case .number(let text): return Self.typed("number", text)
        case .string(let text, let format, let words, let example):
            var more: [JSONTree.Member] = []
            if let format { more.append(.init("format", .string(format))) }
            if !words.isEmpty { more.append(.init("enum", .array(words.map { .string($0) }))) }
            if let example { more.append(.init("examples", .array([.string(example)]))) }
            return Self.typed("string", text, more)
        case .integer(let text, let range):
            var more = [JSONTree.Member("format", .string("int64"))]
            if let range {
                more.append(.init("minimum", .number(String(range.lowerBound))))
                more.append(.init("maximum", .number(String(range.upperBound))))
            }
            return Self.typed("integer", text, more)
        case .boolean(let text): return Self.typed("boolean", text)
        case .array(let text, let element): return Self.typed("array", text, [.init("items", element.document)])
        case .map(let text, let value):
            return Self.typed("object", text, [.init("additionalProperties", value.document)])
        case .anyObject(let text): return Self.typed("object", text)
        case .object(let text, let properties):
            let required = properties.filter(\.isRequired).map { JSONTree.string($0.name) }
            var more = [JSONTree.Member("properties", .object(properties.map { .init($0.name, $0.schema.document) }))]
            if !required.isEmpty { more.append(.init("required", .array(required))) }
            return Self.typed("object", text, more)
        }
    }

    private static func typed(_ type: String, _ text: String, _ more: [JSONTree.Member] = []) -> JSONTree {
        .object([.init("type", .string(type))] + description(text) + more)
    }

    private static func description(_ text: String) -> [JSONTree.Member] {
        text.isEmpty ? [] : [.init("description", .string(text))]
    }
}
