/// Parses the JSON of a token strictly.
///
/// Tokens are untrusted. Duplicate names in an object are rejected, because parsers disagree about their meaning. Deep
/// nesting is rejected, because it can exhaust the stack.
struct ClaimReader {
    /// The error for a text that is not the JSON of a token.
    struct Malformed: Error, Equatable {
        /// The reason, as the predicate of a sentence whose subject is the text.
        let reason: String

        init(_ reason: String) {
            self.reason = reason
        }
    }

    private let bytes: [UInt8]
    private var position = 0
    private var depth = 0
    private let maximumDepth: Int

    private init(_ bytes: [UInt8], maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    /// Reads the members of a JSON object. Only white space may precede or follow the object.
    ///
    /// - Parameter maximumDepth: the maximum number of objects and arrays that enclose a value.
    static func object(in bytes: [UInt8], maximumDepth: Int = 8) throws(Malformed) -> [String: Claim] {
        var reader = ClaimReader(bytes, maximumDepth: maximumDepth)
        let value = try reader.value()
        reader.skipSpace()
        guard reader.position == bytes.count else { throw Malformed("has data after the end of its JSON") }
        guard case .object(let members) = value else { throw Malformed("is \(value.kind), not a JSON object") }
        return members
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipSpace() {
        while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
            position += 1
        }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard next == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func value() throws(Malformed) -> Claim {
        skipSpace()
        switch next {
        case UInt8(ascii: "{"): return try nested { reader throws(Malformed) in try reader.members() }
        case UInt8(ascii: "["): return try nested { reader throws(Malformed) in try reader.elements() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case nil: throw Malformed("ends in the middle of its JSON")
        default: return .number(try number())
        }
    }

    private mutating func nested(
        _ body: (inout ClaimReader) throws(Malformed) -> Claim
    ) throws(Malformed) -> Claim {
        guard depth < maximumDepth else { throw Malformed("is nested deeper than \(maximumDepth) levels") }
        depth += 1
        position += 1
        defer { depth -= 1 }
        return try body(&self)
    }

    private mutating func members() throws(Malformed) -> Claim {
        var members: [String: Claim] = [:]
        skipSpace()
        if take("}") { return .object(members) }
        repeat {
            skipSpace()
            guard next == UInt8(ascii: "\"") else { throw Malformed("has an object member without a name") }
            let name = try string()
            skipSpace()
            guard take(":") else { throw Malformed("has a name without a value") }
            let member = try value()
            guard members.updateValue(member, forKey: name) == nil else {
                throw Malformed("has the name \(Words.quoted(name)) twice in one object")
            }
            skipSpace()
        } while take(",")
        guard take("}") else { throw Malformed("has an object without a closing brace") }
        return .object(members)
    }

    private mutating func elements() throws(Malformed) -> Claim {
        var elements: [Claim] = []
        skipSpace()
        if take("]") { return .array(elements) }
        repeat {
            elements.append(try value())
            skipSpace()
        } while take(",")
        guard take("]") else { throw Malformed("has an array without a closing bracket") }
        return .array(elements)
    }

    private mutating func word(_ word: StaticString, _ claim: Claim) throws(Malformed) -> Claim {
        for character in word.description.unicodeScalars {
            guard take(character) else { throw Malformed("has an invalid word in its JSON") }
        }
        return claim
    }

    private mutating func digits() throws(Malformed) {
        let start = position
        while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) {
            position += 1
        }
        guard position > start else { throw Malformed("has an invalid value in its JSON") }
    }

    private mutating func number() throws(Malformed) -> Double {
        let start = position
        _ = take("-")
        if !take("0") {
            try digits()
        }
        if take(".") {
            try digits()
        }
        if take("e") || take("E") {
            _ = take("+") || take("-")
            try digits()
        }
        guard let number = Double(String(decoding: bytes[start..<position], as: UTF8.self)), number.isFinite else {
            throw Malformed("has a number that is too large")
        }
        return number
    }

    private mutating func string() throws(Malformed) -> String {
        position += 1
        var text: [UInt8] = []
        while let byte = next {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else {
                    throw Malformed("has a string that is not UTF-8")
                }
                return string
            case UInt8(ascii: "\\"): text.append(contentsOf: String(try escape()).utf8)
            case 0..<0x20: throw Malformed("has a control character in a string")
            default: text.append(byte)
            }
        }
        throw Malformed("ends in the middle of a string")
    }

    private mutating func escape() throws(Malformed) -> Unicode.Scalar {
        defer { position += 1 }
        switch next {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape()
        default: throw Malformed("has an invalid escape in a string")
        }
    }

    /// Reads a Unicode escape from its `u` to its last digit. A surrogate pair consists of two escapes.
    private mutating func unicodeEscape() throws(Malformed) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        position += 1
        guard (0xD800...0xDBFF).contains(first), take("\\"), next == UInt8(ascii: "u") else {
            throw Malformed("has half a surrogate pair")
        }
        let second = try codeUnit()
        guard (0xDC00...0xDFFF).contains(second) else { throw Malformed("has half a surrogate pair") }
        let value = 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)
        guard let scalar = Unicode.Scalar(value) else { throw Malformed("has half a surrogate pair") }
        return scalar
    }

    /// Reads the four digits after a `u`, and leaves the position at the last digit.
    private mutating func codeUnit() throws(Malformed) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            position += 1
            guard let byte = next, let digit = Character(Unicode.Scalar(byte)).hexDigitValue, byte < 0x80 else {
                throw Malformed("has an escape without four hexadecimal digits")
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
