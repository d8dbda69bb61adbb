import TillJSON

/// A JSON object in a format that the control API does not define, such as the payload of a notification.
public struct JSONObject: Codable, Equatable, Sendable {
    /// The members of the object.
    package let tree: JSONTree

    /// An object that was parsed already.
    package init(_ tree: JSONTree) { self.tree = tree }

    /// Reads the object from a decoder.
    public init(from decoder: any Decoder) throws {
        tree = try decoder.singleValueContainer().decode(JSONTree.self)
    }

    /// Writes the object to an encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(tree)
    }

    /// The object as text, without white space.
    public var text: String { String(decoding: tree.compact, as: UTF8.self) }

    /// Decodes the object as a type that describes its format.
    public func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try tree.decode(type) }
}
