/// Where `ValueDecoder` takes values from: a JSON document, or a recorder that has no document and notes what a type
/// asks for.
package protocol DecodingSource {
    /// The value of a key; nil if it is absent or null.
    ///
    /// - Parameter isRequired: whether the type cannot do without the key. A type that can do without it asks with
    ///   `false` first.
    func member(_ key: String, isRequired: Bool) throws -> Self?
    /// The keys of the object.
    var keys: [String] { get throws }
    /// The elements of the array.
    var list: [Self] { get throws }
    /// Whether the value is null.
    var isNull: Bool { get }
    /// The value as a string.
    func string() throws -> String
    /// The value as `true` or `false`.
    func boolean() throws -> Bool
    /// The value as an integer.
    func integer<Number: FixedWidthInteger>() throws -> Number
    /// The value as a number that may have a fraction.
    func real() throws -> Double
    /// A value of a type that the source provides itself; nil to let the type decode itself.
    func provide<Value>(_ type: Value.Type) throws -> Value?
}

extension DecodingSource {
    package func provide<Value>(_ type: Value.Type) throws -> Value? { nil }

    /// Decodes a value of a type.
    package func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try provide(type) ?? type.init(from: ValueDecoder(source: self, codingPath: []))
    }
}

/// Decodes `Codable` types.
///
/// Foundation's decoder reads text only. The control API decodes a parsed document that was already checked, and it
/// derives the schema of a type by letting the type decode itself from a recorder. Both need a decoder of their own.
private struct ValueDecoder<Source: DecodingSource>: Decoder {
    let source: Source
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(KeyedValues<Source, Key>(source: source, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        ListedValues(elements: try source.list, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        SingleValue(source: source, codingPath: codingPath)
    }
}

private struct KeyedValues<Source: DecodingSource, Key: CodingKey>: KeyedDecodingContainerProtocol {
    let source: Source
    let codingPath: [any CodingKey]

    var allKeys: [Key] { ((try? source.keys) ?? []).compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { (try? source.member(key.stringValue, isRequired: false)) != nil }

    private func member(_ key: Key) throws -> Source {
        guard let member = try source.member(key.stringValue, isRequired: true) else {
            throw DecodingError.keyNotFound(key, .init(codingPath: codingPath, debugDescription: "the key is missing"))
        }
        return member
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ source: Source, _ key: Key) throws -> Value {
        try source.provide(type) ?? type.init(from: ValueDecoder(source: source, codingPath: codingPath + [key]))
    }

    func decodeNil(forKey key: Key) throws -> Bool { try source.member(key.stringValue, isRequired: false) == nil }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try value(type, try member(key), key)
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
        -> KeyedDecodingContainer<Nested>
    {
        try ValueDecoder(source: try member(key), codingPath: codingPath + [key]).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try ValueDecoder(source: try member(key), codingPath: codingPath + [key]).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { ValueDecoder(source: source, codingPath: codingPath) }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        ValueDecoder(source: try member(key), codingPath: codingPath + [key])
    }
}

private struct ListedValues<Source: DecodingSource>: UnkeyedDecodingContainer {
    let elements: [Source]
    let codingPath: [any CodingKey]
    var currentIndex = 0

    init(elements: [Source], codingPath: [any CodingKey]) {
        self.elements = elements
        self.codingPath = codingPath
    }

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private mutating func next() throws -> Source {
        guard !isAtEnd else {
            let context = DecodingError.Context(codingPath: codingPath, debugDescription: "the array ends")
            throw DecodingError.valueNotFound(Source.self, context)
        }
        defer { currentIndex += 1 }
        return elements[currentIndex]
    }

    mutating func decodeNil() throws -> Bool {
        guard !isAtEnd, elements[currentIndex].isNull else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let source = try next()
        return try source.provide(type) ?? type.init(from: ValueDecoder(source: source, codingPath: codingPath))
    }

    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
        -> KeyedDecodingContainer<Nested>
    {
        try ValueDecoder(source: try next(), codingPath: codingPath).container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try ValueDecoder(source: try next(), codingPath: codingPath).unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder { ValueDecoder(source: try next(), codingPath: codingPath) }
}

private struct SingleValue<Source: DecodingSource>: SingleValueDecodingContainer {
    let source: Source
    let codingPath: [any CodingKey]

    func decodeNil() -> Bool { source.isNull }
    func decode(_ type: Bool.Type) throws -> Bool { try source.boolean() }
    func decode(_ type: String.Type) throws -> String { try source.string() }
    func decode(_ type: Double.Type) throws -> Double { try source.real() }
    func decode(_ type: Float.Type) throws -> Float { Float(try source.real()) }
    func decode(_ type: Int.Type) throws -> Int { try source.integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try source.integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try source.integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try source.integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try source.integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try source.integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try source.integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try source.integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try source.integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try source.integer() }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try source.provide(type) ?? type.init(from: ValueDecoder(source: source, codingPath: codingPath))
    }
}

// MARK: JSON documents

extension JSONTree: DecodingSource {
    package func member(_ key: String, isRequired: Bool) throws -> JSONTree? {
        guard case .object(let members) = self else { throw mismatch("an object") }
        return members.first { $0.key == key && $0.value != .null }?.value
    }

    package var keys: [String] {
        get throws {
            guard case .object(let members) = self else { throw mismatch("an object") }
            return members.map(\.key)
        }
    }

    package var list: [JSONTree] {
        get throws {
            guard case .array(let elements) = self else { throw mismatch("an array") }
            return elements
        }
    }

    package var isNull: Bool { self == .null }

    package func string() throws -> String {
        guard case .string(let text) = self else { throw mismatch("a string") }
        return text
    }

    package func boolean() throws -> Bool {
        guard case .bool(let flag) = self else { throw mismatch("true or false") }
        return flag
    }

    package func integer<Number: FixedWidthInteger>() throws -> Number {
        guard case .number(let digits) = self, let number = Number(digits) else { throw mismatch("a whole number") }
        return number
    }

    package func real() throws -> Double {
        guard case .number(let digits) = self, let number = Double(digits) else { throw mismatch("a number") }
        return number
    }

    /// A document that a type keeps as it is.
    package func provide<Value>(_ type: Value.Type) throws -> Value? {
        type == JSONTree.self ? self as? Value : nil
    }

    private func mismatch(_ expected: String) -> DecodingError {
        let words = "expected \(expected), found \(summary)"
        return .typeMismatch(JSONTree.self, .init(codingPath: [], debugDescription: words))
    }
}
