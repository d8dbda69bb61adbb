extension JSONTree {
    /// The document of a value, with keys in the order in which the type encodes them. Absent values are omitted.
    ///
    /// Foundation's encoder keeps no order of keys.
    package init(encoding value: some Encodable) throws {
        let slot = Slot()
        try value.encode(to: ValueEncoder(slot: slot, codingPath: []))
        self = slot.tree
    }
}

/// The place of a value that is being encoded.
private final class Slot {
    private enum Content {
        case nothing
        case scalar(JSONTree)
        case object([(key: String, slot: Slot)])
        case array([Slot])
    }

    private var content = Content.nothing

    /// The encoded value; an empty object for a type that encodes nothing.
    var tree: JSONTree {
        switch content {
        case .nothing: .object([])
        case .scalar(let tree): tree
        case .object(let members): .object(members.map { JSONTree.Member($0.key, $0.slot.tree) })
        case .array(let slots): .array(slots.map(\.tree))
        }
    }

    func set(_ tree: JSONTree) { content = .scalar(tree) }

    func beginObject() { if case .object = content {} else { content = .object([]) } }

    func beginArray() { if case .array = content {} else { content = .array([]) } }

    func member(_ key: String) -> Slot {
        let slot = Slot()
        if case .object(var members) = content {
            content = .nothing
            members.append((key, slot))
            content = .object(members)
        } else {
            content = .object([(key, slot)])
        }
        return slot
    }

    func element() -> Slot {
        let slot = Slot()
        if case .array(var slots) = content {
            content = .nothing
            slots.append(slot)
            content = .array(slots)
        } else {
            content = .array([slot])
        }
        return slot
    }

    var count: Int { if case .array(let slots) = content { slots.count } else { 0 } }

    func encode(_ value: some Encodable, _ codingPath: [any CodingKey]) throws {
        if let tree = value as? JSONTree { return set(tree) }
        if let dictionary = value as? any StringDictionary { return try dictionary.encode(sortedInto: self) }
        try value.encode(to: ValueEncoder(slot: self, codingPath: codingPath))
    }
}

/// A dictionary, whose keys are encoded in ascending order. Its own order differs from run to run.
private protocol StringDictionary {
    /// Writes the members into a slot.
    func encode(sortedInto slot: Slot) throws
}

extension Dictionary: StringDictionary where Key == String, Value: Encodable {
    fileprivate func encode(sortedInto slot: Slot) throws {
        slot.beginObject()
        for (key, value) in sorted(by: { $0.key < $1.key }) { try slot.member(key).encode(value, []) }
    }
}

private struct ValueEncoder: Encoder {
    let slot: Slot
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        slot.beginObject()
        return KeyedEncodingContainer(KeyedEncoder<Key>(slot: slot, codingPath: codingPath))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        slot.beginArray()
        return ListEncoder(slot: slot, codingPath: codingPath)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        SingleEncoder(slot: slot, codingPath: codingPath)
    }
}

private struct KeyedEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let slot: Slot
    let codingPath: [any CodingKey]

    func encodeNil(forKey key: Key) throws { slot.member(key.stringValue).set(.null) }

    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
        try slot.member(key.stringValue).encode(value, codingPath + [key])
    }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key)
        -> KeyedEncodingContainer<Nested>
    {
        ValueEncoder(slot: slot.member(key.stringValue), codingPath: codingPath + [key]).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        ValueEncoder(slot: slot.member(key.stringValue), codingPath: codingPath + [key]).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(slot: slot, codingPath: codingPath) }

    func superEncoder(forKey key: Key) -> any Encoder {
        ValueEncoder(slot: slot.member(key.stringValue), codingPath: codingPath + [key])
    }
}

private struct ListEncoder: UnkeyedEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]
    var count: Int { slot.count }

    func encodeNil() throws { slot.element().set(.null) }
    func encode<Value: Encodable>(_ value: Value) throws { try slot.element().encode(value, codingPath) }

    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        ValueEncoder(slot: slot.element(), codingPath: codingPath).container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        ValueEncoder(slot: slot.element(), codingPath: codingPath).unkeyedContainer()
    }

    func superEncoder() -> any Encoder { ValueEncoder(slot: slot.element(), codingPath: codingPath) }
}

private struct SingleEncoder: SingleValueEncodingContainer {
    let slot: Slot
    let codingPath: [any CodingKey]

    func encodeNil() throws { slot.set(.null) }
    func encode(_ value: Bool) throws { slot.set(.bool(value)) }
    func encode(_ value: String) throws { slot.set(.string(value)) }
    func encode(_ value: Double) throws { slot.set(.number("\(value)")) }
    func encode(_ value: Float) throws { slot.set(.number("\(value)")) }
    func encode(_ value: Int) throws { slot.set(.number(String(value))) }
    func encode(_ value: Int8) throws { slot.set(.number(String(value))) }
    func encode(_ value: Int16) throws { slot.set(.number(String(value))) }
    func encode(_ value: Int32) throws { slot.set(.number(String(value))) }
    func encode(_ value: Int64) throws { slot.set(.number(String(value))) }
    func encode(_ value: UInt) throws { slot.set(.number(String(value))) }
    func encode(_ value: UInt8) throws { slot.set(.number(String(value))) }
    func encode(_ value: UInt16) throws { slot.set(.number(String(value))) }
    func encode(_ value: UInt32) throws { slot.set(.number(String(value))) }
    func encode(_ value: UInt64) throws { slot.set(.number(String(value))) }
    func encode<Value: Encodable>(_ value: Value) throws { try slot.encode(value, codingPath) }
}
