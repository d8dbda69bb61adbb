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
        number(type, { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
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
        text(type, isASCII: isASCII, { $0[keyPath: path] }, { $0[keyPath: path] = $1 })
    }

    /// A date.
    static func date(_ type: Int64, _ path: Path<Int64>) -> Self {
        Self(type) {
            $1.date(type, $0[keyPath: path])
        } _: { attribute, receipt throws(BERReader.Fault) in
            guard let date = try attribute.date() else { return false }
            receipt[keyPath: path] = date
            return true
        }
    }

    /// A date that is nil if its text is empty.
    ///
    /// - Parameter omitsNil: whether nil omits the attribute; otherwise, nil is encoded as an empty text.
    static func date(_ type: Int64, _ path: Path<Int64?>, omitsNil: Bool = false) -> Self {
        Self(type) {
            let date = $0[keyPath: path]
            if date != nil || !omitsNil { $1.date(type, date) }
        } _: { attribute, receipt throws(BERReader.Fault) in
            receipt[keyPath: path] = try attribute.date()
            return true
        }
    }

    /// An empty text, which is ignored when it is decoded.
    static func empty(_ type: Int64) -> Self { text(type, { _ in "" }, { _, _ in }) }

    static func bytes(_ type: Int64, version: UInt8 = 1, _ path: Path<[UInt8]>) -> Self {
        Self(type) {
            $1.raw(type, version: version, $0[keyPath: path])
        } _: { attribute, receipt throws(BERReader.Fault) in
            receipt[keyPath: path] = Array(attribute.value)
            return true
        }
    }
}

/// The attributes of a receipt or of a purchase in it. Their order does not matter, because an encoded set is sorted.
struct ReceiptAttributes<Receipt>: Sendable {
    private let all: [Int64: ReceiptAttribute<Receipt>]
    private let required: Set<Int64>

    init(required: Set<Int64>, _ all: [ReceiptAttribute<Receipt>]) {
        self.all = Dictionary(uniqueKeysWithValues: all.map { ($0.type, $0) })
        self.required = required
    }

    func encode(_ receipt: Receipt, into set: inout AttributeSet) {
        for attribute in all.values { attribute.encode(receipt, &set) }
    }

    /// Decodes the attributes of a set. Those of unknown types are ignored.
    ///
    /// - Returns: the numbers of the decoded attributes, without empty dates.
    @discardableResult
    func decode(_ attributes: AttributeReader, into receipt: inout Receipt) throws(BERReader.Fault) -> Set<Int64> {
        var attributes = attributes
        var found: Set<Int64> = []
        while let attribute = try attributes.next() {
            guard let type = attribute.type, let known = all[type] else { continue }
            if try known.decode(attribute, &receipt) { found.insert(type) } else { found.remove(type) }
        }
        if let missing = required.subtracting(found).min() {
            throw BERReader.Fault(reason: "lacks attribute \(missing), or it is empty")
        }
        return found
    }
}
