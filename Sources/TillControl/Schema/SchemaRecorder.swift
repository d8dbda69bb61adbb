import TillJSON

/// Derives the schema of a type by letting it decode itself from a recorder, which notes every key and its type.
///
/// A property is therefore declared once, in Swift.
package struct SchemaRecorder {
    /// The descriptions of types and properties: `Type`, `Type.property`.
    private let texts: [String: String]

    /// A recorder that uses descriptions.
    package init(texts: [String: String] = [:]) { self.texts = texts }

    /// The schema of a type.
    package func schema<Value: Decodable>(of type: Value.Type) -> Schema {
        let node = RecordedNode()
        do {
            _ = try RecordedValue(node: node).decode(type)
        } catch {
            // A type that decodes more than properties of the known kinds cannot be a part of the contract.
            preconditionFailure("\(type) has no schema: \(error)")
        }
        return schema(of: node, "")
    }

    private func schema(of node: RecordedNode, _ text: String) -> Schema {
        switch node.shape {
        case .unknown: .anyObject(text)
        case .string: .string(text, format: node.format, example: node.example)
        case .integer: .integer(text, node.range)
        case .number: .number(text)
        case .boolean: .boolean(text)
        case .array(let element): .array(text, of: schema(of: element, ""))
        case .map(let value): map(text, of: schema(of: value, ""))
        case .value(let schema): schema(text, node.range)
        case .words(let words, let type):
            component(text, type, .string(self.text(type, values: words), oneOf: words.map(\.value)))
        case .numbers(let numbers, let type):
            component(text, type, .integerOf(self.text(type, values: numbers), numbers.map(\.value)))
        case .object(let members, let type): component(text, type, object(members, type))
        }
    }

    /// A dictionary. Its component has the name of its values.
    private func map(_ text: String, of value: Schema) -> Schema {
        let name =
            switch value {
            case .component(_, let name, _): name
            case .integer, .integerOf: "Integer"
            case .boolean: "Boolean"
            case .number: "Number"
            default: "String"
            }
        return .component(text, name: name + "Map", .map("Values by name.", of: value))
    }

    private func object(_ members: [RecordedNode.Member], _ type: Any.Type?) -> Schema {
        let path = type.map(Self.path) ?? ""
        return .object(
            texts[path] ?? "",
            members.map { member in
                Schema.Property(
                    name: member.name,
                    schema: schema(of: member.node, text(of: member.name, in: path)),
                    isRequired: member.isRequired
                )
            }
        )
    }

    private func component(_ text: String, _ type: Any.Type?, _ schema: Schema) -> Schema {
        guard let type else { return schema }
        return .component(text, name: Self.path(type).replacing(".", with: ""), schema)
    }

    /// The description of a declaration; empty if it has none.
    package func text(_ name: String) -> String { texts[name] ?? "" }

    /// The description of an enumeration and of its values.
    private func text<Value>(_ type: Any.Type, values: [RecordedNode.EnumValue<Value>]) -> String {
        let path = Self.path(type)
        let notes = values.compactMap { value in texts["\(path).\(value.name)"].map { "- `\(value.value)`: \($0)" } }
        return ([texts[path] ?? ""] + (notes.isEmpty ? [] : [notes.joined(separator: "\n")])).joined(separator: "\n\n")
    }

    /// The description of a property, or of the requirement that it implements.
    private func text(of name: String, in type: String) -> String {
        ([type] + Self.protocols).lazy.compactMap { texts["\($0).\(name)"] }.first ?? ""
    }

    private static let protocols = [
        "AppRequest", "EnvironmentRequest", "CustomerRequest", "TransactionRequest", "SubscriptionRequest",
        "DatedRequest", "IncludingRequest", "SettlingRequest", "SettledAnswer",
        "CreatingRequest",
    ]

    /// The name of a type without its module: `Delivery.Attempt`.
    package static func path(_ type: Any.Type) -> String {
        String(reflecting: type).split(separator: ".").dropFirst().joined(separator: ".")
    }
}

/// A type with a schema of its own, such as a date in milliseconds.
protocol SchemaValue {
    /// Any value.
    static var sample: Self { get }
    /// The schema with a description and, for a number, its range.
    static func schema(_ text: String, _ range: ClosedRange<Int64>?) -> Schema
}

extension Timestamp: SchemaValue {
    static var sample: Timestamp { Timestamp(milliseconds: 0) }
    static func schema(_ text: String, _ range: ClosedRange<Int64>?) -> Schema { .integer(text, range) }
}

extension JSONObject: SchemaValue {
    static var sample: JSONObject { JSONObject(.object([])) }
    static func schema(_ text: String, _ range: ClosedRange<Int64>?) -> Schema {
        .component(
            text,
            name: "JSONObject",
            .anyObject("A JSON object in a format that the control API does not define.")
        )
    }
}

extension Storefront: SchemaValue {
    static var sample: Storefront { .unitedStates }
    static func schema(_ text: String, _ range: ClosedRange<Int64>?) -> Schema { .string(text, example: "DEU") }
}

/// What a type asked for.
private final class RecordedNode {
    struct Member {
        let name: String
        let isRequired: Bool
        let node: RecordedNode
    }

    /// A value of an enumeration, with the name of its case.
    struct EnumValue<Value> {
        let name: String
        let value: Value
    }

    enum Shape {
        case unknown
        case string
        case integer
        case number
        case boolean
        case array(RecordedNode)
        case map(RecordedNode)
        case value((String, ClosedRange<Int64>?) -> Schema)
        case words([EnumValue<String>], Any.Type)
        case numbers([EnumValue<Int64>], Any.Type)
        case object([Member], Any.Type?)
    }

    var shape = Shape.unknown
    /// The type that decodes itself from this node, if it is a `ControlObject`.
    var type: (any ControlObject.Type)?
    var range: ClosedRange<Int64>?
    var format: String?
    var example: String?

    /// The node of a key, which is created when the type asks for it first.
    func member(_ key: String, isRequired: Bool) -> RecordedNode {
        var members: [Member] = []
        if case .object(let known, _) = shape { members = known }
        if let member = members.first(where: { $0.name == key }) { return member.node }
        let node = RecordedNode()
        for limit in type?.limits ?? [] where limit.key == key { node.apply(limit) }
        let isTime =
            key == "at" && type is any DatedRequest.Type || key == "newClock" && type is any CreatingRequest.Type
        if isTime { node.range = ControlLimit.clockTimes }
        if key == "settle", type is any SettlingRequest.Type { node.range = ControlLimit.settlingSeconds }
        shape = .object(members + [Member(name: key, isRequired: isRequired, node: node)], type)
        return node
    }

    private func apply(_ limit: ControlLimit) {
        switch limit.kind {
        case .range(let range): self.range = range
        case .format(let name): format = name
        case .example(let text): example = text
        }
    }
}

/// A dictionary with any strings as keys. It asks for no keys itself.
private protocol StringDictionary {
    /// Records the values.
    static func record(_ value: RecordedValue) throws -> Self
}

extension Dictionary: StringDictionary where Key == String, Value: Decodable {
    fileprivate static func record(_ value: RecordedValue) throws -> [String: Value] {
        _ = try value.decode(Value.self)
        return [:]
    }
}

private struct RecordedValue: DecodingSource {
    let node: RecordedNode

    func member(_ key: String, isRequired: Bool) -> RecordedValue? {
        RecordedValue(node: node.member(key, isRequired: isRequired))
    }

    var keys: [String] { [] }

    var list: [RecordedValue] {
        let element = RecordedNode()
        node.shape = .array(element)
        return [RecordedValue(node: element)]
    }

    var isNull: Bool { false }

    func string() -> String {
        node.shape = .string
        return ""
    }

    func boolean() -> Bool {
        node.shape = .boolean
        return false
    }

    func integer<Number: FixedWidthInteger>() -> Number {
        node.shape = .integer
        return 0
    }

    func real() -> Double {
        node.shape = .number
        return 0
    }

    func provide<Value>(_ type: Value.Type) throws -> Value? {
        if let type = type as? any StringDictionary.Type {
            let value = RecordedNode()
            node.shape = .map(value)
            return try type.record(RecordedValue(node: value)) as? Value
        }
        if let type = type as? any SchemaValue.Type {
            node.shape = .value(type.schema)
            return type.sample as? Value
        }
        if let type = type as? any (RawRepresentable & CaseIterable).Type { return sample(of: type) as? Value }
        if let type = type as? any ControlObject.Type {
            node.type = type
            node.shape = .object([], type)
        }
        return nil
    }

    /// The first value of an enumeration, whose raw values are recorded.
    private func sample<Enumeration: RawRepresentable & CaseIterable>(of type: Enumeration.Type) -> Enumeration? {
        let words = type.allCases.compactMap { each in
            (each.rawValue as? String).map { RecordedNode.EnumValue(name: "\(each)", value: $0) }
        }
        let numbers = type.allCases.compactMap { each in
            (each.rawValue as? Int).map { RecordedNode.EnumValue(name: "\(each)", value: Int64($0)) }
        }
        if !words.isEmpty {
            node.shape = .words(words, type)
        } else if !numbers.isEmpty {
            node.shape = .numbers(numbers, type)
        }
        return type.allCases.first
    }
}
