/// An attribute of a receipt or of a purchase in it: its number, and how its value is encoded and decoded.
struct ReceiptAttribute<Receipt>: Sendable {
    typealias Path<Value> = any WritableKeyPath<Receipt, Value> & Sendable

    /// The number of the attribute's type.
    let type: Int64
    /// Encodes the value, or nothing if the receipt omits the attribute.
    let encode: @Sendable (Receipt, inout AttributeSet) -> Void
    /// Decodes the value. Returns false for an empty date.
    let decode: @Sendable (AttributeReader.Attribute, inout Receipt) throws(BERReader.Fault) -> Bool

    init(
        _ type: Int64,
        _ encode: @escaping @Sendable (Receipt, inout AttributeSet) -> Void,
        _ decode: @escaping @Sendable (AttributeReader.Attribute, inout Receipt) throws(BERReader.Fault) -> Bool
    ) {
        (self.type, self.encode, self.decode) = (type, encode, decode)
    }

    /// A number; nil omits the attribute.
    static func number(
        _ type: Int64,
        _ get: @escaping @Sendable (Receipt) -> Int64?,
        _ set: @escaping @Sendable (inout Receipt, Int64) -> Void
    ) -> Self {
        Self(type) {
            if let number = get($0) { $1.number(type, number) }
        } _: { attribute, receipt throws(BERReader.Fault) in
            set(&receipt, try attribute.number())
            return true
        }
    }

    static func number(_ type: Int64, _ path: Path<Int64>) -> Self {
        let property = StoredProperty(path)
        return number(type, { property.value(of: $0) }, { property.set($1, of: &$0) })
    }

    /// A text; nil omits the attribute.
    static func text(
        _ type: Int64,
        isASCII: Bool = false,
        _ get: @escaping @Sendable (Receipt) -> String?,
        _ set: @escaping @Sendable (inout Receipt, String) -> Void
    ) -> Self {
        Self(type) {
            guard let text = get($0) else { return }
            if isASCII { $1.ascii(type, text) } else { $1.text(type, text) }
        } _: { attribute, receipt throws(BERReader.Fault) in
            set(&receipt, try attribute.text())
            return true
        }
    }

    static func text(_ type: Int64, isASCII: Bool = false, _ path: Path<String>) -> Self {
        let property = StoredProperty(path)
        return text(type, isASCII: isASCII, { property.value(of: $0) }, { property.set($1, of: &$0) })
    }

    /// A date.
    static func date(_ type: Int64, _ path: Path<Int64>) -> Self {
        let property = StoredProperty(path)
        return Self(type) {
            $1.date(type, property.value(of: $0))
        } _: { attribute, receipt throws(BERReader.Fault) in
            guard let date = try attribute.date() else { return false }
            property.set(date, of: &receipt)
            return true
        }
    }

    /// A date that is nil if its text is empty.
    ///
    /// - Parameter omitsNil: whether nil omits the attribute; otherwise, nil is encoded as an empty text.
    static func date(_ type: Int64, _ path: Path<Int64?>, omitsNil: Bool = false) -> Self {
        let property = StoredProperty(path)
        return Self(type) {
            let date = property.value(of: $0)
            if date != nil || !omitsNil { $1.date(type, date) }
        } _: { attribute, receipt throws(BERReader.Fault) in
            property.set(try attribute.date(), of: &receipt)
            return true
        }
    }

    /// An empty text, which is ignored when it is decoded.
    static func empty(_ type: Int64) -> Self { text(type, { _ in "" }, { _, _ in }) }

    static func bytes(_ type: Int64, version: UInt8 = 1, _ path: Path<[UInt8]>) -> Self {
        let property = StoredProperty(path)
        return Self(type) {
            $1.raw(type, version: version, property.value(of: $0))
        } _: { attribute, receipt throws(BERReader.Fault) in
            property.set(Array(attribute.value), of: &receipt)
            return true
        }
    }
}

/// A stored property of a structure, which is read and written at its offset. A key path takes much longer, and a
/// receipt of 100 purchases has 1,000 such properties.
private struct StoredProperty<Root, Value>: Sendable {
    private let offset: Int

    init(_ path: any WritableKeyPath<Root, Value> & Sendable) {
        guard let offset = MemoryLayout<Root>.offset(of: path) else {
            preconditionFailure("not a stored property of a structure")
        }
        self.offset = offset
    }

    func value(of root: Root) -> Value {
        withUnsafePointer(to: root) { root in
            (UnsafeRawPointer(root) + offset).assumingMemoryBound(to: Value.self).pointee
        }
    }

    func set(_ value: Value, of root: inout Root) {
        withUnsafeMutablePointer(to: &root) { root in
            (UnsafeMutableRawPointer(root) + offset).assumingMemoryBound(to: Value.self).pointee = value
        }
    }
}

/// The attributes of a receipt or of a purchase in it. Their order does not matter, because an encoded set is sorted.
///
/// Their types are close together, so that a table and the bits of a number find them without hashing: a receipt may
/// have 20,000 purchases with 20 attributes each.
struct ReceiptAttributes<Receipt>: Sendable {
    /// A set of attribute types.
    struct Types {
        fileprivate let first: Int64
        fileprivate var bits: UInt64 = 0

        func contains(_ type: Int64) -> Bool { bits & bit(type) != 0 }

        fileprivate mutating func set(_ type: Int64, _ isIn: Bool) {
            if isIn { bits |= bit(type) } else { bits &= ~bit(type) }
        }

        private func bit(_ type: Int64) -> UInt64 { 1 << UInt64(type - first) }
    }

    private let all: [ReceiptAttribute<Receipt>]
    private let first: Int64
    /// The place of each type in `all`, by its distance from `first`; -1 for none.
    private let places: [Int]
    private let required: [Int64]

    init(required: [Int64], _ all: [ReceiptAttribute<Receipt>]) {
        (self.required, self.all) = (required, all)
        let first = all.map(\.type).min() ?? 0
        var places = [Int](repeating: -1, count: UInt64.bitWidth)
        for (place, attribute) in all.enumerated() { places[Int(attribute.type - first)] = place }
        (self.first, self.places) = (first, places)
    }

    func encode(_ receipt: Receipt, into set: inout AttributeSet) {
        for attribute in all { attribute.encode(receipt, &set) }
    }

    /// Decodes the attributes of a set. Those of unknown types are ignored.
    ///
    /// - Returns: the types of the decoded attributes, without empty dates.
    @discardableResult
    func decode(_ attributes: AttributeReader, into receipt: inout Receipt) throws(BERReader.Fault) -> Types {
        var attributes = attributes
        var found = Types(first: first)
        while let attribute = try attributes.next() {
            guard let type = attribute.type, let known = known(type) else { continue }
            found.set(type, try known.decode(attribute, &receipt))
        }
        if let missing = required.first(where: { !found.contains($0) }) {
            throw BERReader.Fault(reason: "lacks attribute \(missing), or it is empty")
        }
        return found
    }

    private func known(_ type: Int64) -> ReceiptAttribute<Receipt>? {
        guard type >= first, type < first + Int64(places.count) else { return nil }
        let place = places[Int(type - first)]
        return place < 0 ? nil : all[place]
    }
}
