/// Reads the attributes of a receipt one after the other. Each attribute is a SEQUENCE of type, version and value.
struct AttributeReader {
    /// One attribute.
    struct Attribute {
        /// The number of the attribute's type; nil for a number of more than 64 bits, which is always unknown.
        let type: Int64?
        /// The content of the attribute's octet string.
        let value: ArraySlice<UInt8>

        /// The value as text. It may have any of the string types that receipts use.
        func text() throws(BERReader.Fault) -> String {
            let bytes = try string()
            // Most texts are ASCII, and the check of other ones takes longer than the rest of the attribute.
            if bytes.allSatisfy({ $0 < 0x80 }) { return String(decoding: bytes, as: UTF8.self) }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw fault("is not UTF-8") }
            return text
        }

        /// The value as a number of at most 64 bits.
        func number() throws(BERReader.Fault) -> Int64 {
            var reader = BERReader(value)
            guard let number = try reader.integer() else { throw fault("is a number of more than 64 bits") }
            try reader.end()
            return number
        }

        /// The value as a date; nil if its text is empty.
        func date() throws(BERReader.Fault) -> Int64? {
            let text = try string()
            if text.isEmpty { return nil }
            guard let instant = ReceiptDate.instant(of: text) else { throw fault("is not a date") }
            return instant
        }

        /// The value as a set of attributes.
        func set() throws(BERReader.Fault) -> AttributeReader {
            var reader = BERReader(value)
            let set = try reader.next(DERBytes.set)
            try reader.end()
            return AttributeReader(set.content)
        }

        private func string() throws(BERReader.Fault) -> ArraySlice<UInt8> {
            var reader = BERReader(value)
            let element = try reader.next()
            try reader.end()
            switch element.tag {
            case DERBytes.utf8String, DERBytes.ia5String, DERBytes.printableString: return element.content
            default: throw fault("is not text")
            }
        }

        private func fault(_ reason: String) -> BERReader.Fault {
            BERReader.Fault(reason: "has an attribute \(type ?? -1) that \(reason)")
        }
    }

    private var reader: BERReader

    /// Creates a reader for the content of a SET.
    init(_ content: ArraySlice<UInt8>) {
        reader = BERReader(content)
    }

    /// The next attribute; nil at the end.
    mutating func next() throws(BERReader.Fault) -> Attribute? {
        guard !reader.isAtEnd else { return nil }
        var attribute = try reader.next(DERBytes.sequence).reader
        let type = try attribute.integer()
        _ = try attribute.integer()
        let value = try attribute.octets()
        try attribute.end()
        return Attribute(type: type, value: value)
    }
}
