import TillJSON

/// A JSON object as the server sent it: with all keys, in their order, and with the digits of its numbers.
///
/// Every answer and payload is a view of its `RawObject`. It therefore keeps the keys that this version of the library
/// does not know, and encoding it again gives the same object.
public struct RawObject: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The object itself.
    package let tree: JSONTree

    /// An object that was parsed already.
    ///
    /// - Throws: `MalformedObject` if the value is not an object.
    package init(_ tree: JSONTree) throws(MalformedObject) {
        guard case .object = tree else { throw MalformedObject("expected an object, found \(tree.summary)") }
        self.tree = tree
    }

    /// Reads an object from UTF-8 text.
    ///
    /// - Throws: `MalformedObject` if the text is not one JSON object.
    public init(utf8: [UInt8]) throws(MalformedObject) {
        let tree: JSONTree
        do {
            tree = try JSONTree.parse(utf8, limits: .depthOnly, keepsNull: true)
        } catch {
            throw MalformedObject(error.withoutExcerpt.description, isText: true)
        }
        try self.init(tree)
    }

    /// Reads the object from a decoder.
    public init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(JSONTree.self))
    }

    /// Writes the object to an encoder.
    public func encode(to encoder: any Encoder) throws { try tree.encode(to: encoder) }

    /// The keys of the object, in their order.
    public var keys: [String] { tree.members.map(\.key) }

    /// The object as text, without white space.
    public var json: String { String(decoding: tree.compact, as: UTF8.self) }

    /// The object as text.
    public var description: String { json }

    /// Decodes the value of a key, such as a key that this library does not know; nil if it is absent or null.
    ///
    /// - Throws: `DecodingError` if the value is not of this type.
    public func decode<Value: Decodable>(_ type: Value.Type = Value.self, at key: String) throws -> Value? {
        guard let value = tree[key], value != .null else { return nil }
        return try value.decode(type)
    }
}

/// A text is not the expected object.
public struct MalformedObject: Error, Equatable, Sendable, CustomStringConvertible {
    /// What is wrong, and where.
    public let description: String
    /// Whether the text is not JSON at all, such as an answer that was cut off.
    let isText: Bool

    init(_ description: String, isText: Bool = false) {
        self.description = description
        self.isText = isText
    }
}

// MARK: Typed values

extension RawObject {
    /// The value of a key; nil if it is absent, null or of another type.
    subscript<Value: WireValue>(_ key: String) -> Value? { tree[key].flatMap(Value.init(wire:)) }

    /// The object of a key; nil if it is absent or has another form.
    subscript<Object: AppStoreObject>(_ key: String) -> Object? { tree[key].flatMap { try? Self.object($0) } }

    /// The objects of a key; nil if they are absent or one of them has another form.
    subscript<Object: AppStoreObject>(_ key: String) -> [Object]? {
        guard let value = tree[key], value != .null else { return nil }
        return try? Self.objects(value)
    }

    /// The value of a key that every server sends.
    func required<Value: WireValue>(_ key: String) throws(MalformedObject) -> Value {
        guard let value = tree[key] else { throw Self.missing(key) }
        guard let typed = Value(wire: value) else {
            throw MalformedObject("\(key): \(value.summary) is not a \(Value.self)")
        }
        return typed
    }

    /// The objects of a key that every server sends.
    func required<Object: AppStoreObject>(_ key: String) throws -> [Object] {
        guard let value = tree[key] else { throw Self.missing(key) }
        return try Self.objects(value)
    }

    /// The values of a key; none if it is absent. An array with an element of another form is an error, because a
    /// transaction must not be lost silently.
    func list<Value: WireValue>(_ key: String) throws(MalformedObject) -> [Value] {
        (tree[key] ?? .null) == .null ? [] : try required(key)
    }

    /// The objects of a key; none if it is absent.
    func list<Object: AppStoreObject>(_ key: String) throws -> [Object] {
        (tree[key] ?? .null) == .null ? [] : try required(key)
    }

    private static func missing(_ key: String) -> MalformedObject { MalformedObject("the key \(key) is missing") }

    private static func object<Object: AppStoreObject>(_ tree: JSONTree) throws -> Object {
        try Object(raw: RawObject(tree))
    }

    /// verifyReceipt answers one object in place of an array for the receipt of a single transaction.
    private static func objects<Object: AppStoreObject>(_ tree: JSONTree) throws -> [Object] {
        guard case .array(let elements) = tree else { return [try object(tree)] }
        return try elements.map { try object($0) }
    }
}
