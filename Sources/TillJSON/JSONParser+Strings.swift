extension JSONParser {
    /// The digits of a number. RFC 8259 allows no leading zeros and no plus sign.
    mutating func number() throws(JSONSyntaxError) -> String {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        if offset < end, bytes[offset] == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if offset < end, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if offset < end, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < end, bytes[offset] == UInt8(ascii: "+") || bytes[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            try digits()
        }
        let digits = String(decoding: bytes[start..<offset], as: UTF8.self)
        if limits.numbersFitDouble, Double(digits)?.isFinite != true {
            throw JSONSyntaxError(expected: "a number that fits a Double", offset: start, found: "a larger one")
        }
        return digits
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = offset
        while offset < end, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
        if offset == start { throw JSONSyntaxError(expected: "a digit", offset: offset) }
    }

    /// The text between two quotes; the offset is at the first of them.
    mutating func string() throws(JSONSyntaxError) -> String {
        let start = offset
        offset += 1
        while offset < end, Self.isPlain(bytes[offset]) { offset += 1 }
        var text = bytes[(start + 1)..<offset]
        while offset < end {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: String(Character(try escape())).utf8)
            case 0..<0x20 where !limits.allowsControlCharacters:
                throw JSONSyntaxError(expected: "no bare control character in a string", offset: offset)
            default:
                text.append(bytes[offset])
                offset += 1
            }
        }
        throw JSONSyntaxError(expected: "a closing quote", offset: start, found: "a string without an end")
    }

    /// Most strings have only these bytes and are copied once.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = offset
        offset += 2
        guard start + 1 < end else { throw JSONSyntaxError(expected: "an escape", offset: start) }
        switch bytes[start + 1] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try unicodeEscape(from: start)
        default: throw JSONSyntaxError(expected: "an escape of JSON", offset: start)
        }
    }

    /// The four digits after `\u`, or the twelve characters of a surrogate pair.
    private mutating func unicodeEscape(from start: Int) throws(JSONSyntaxError) -> Unicode.Scalar {
        let wrong = JSONSyntaxError(expected: "an escaped Unicode character", offset: start)
        guard let first = fourHexDigits() else { throw wrong }
        guard first != 0 || keepsNull else {
            throw JSONSyntaxError(expected: "a text without U+0000", offset: start, found: "U+0000")
        }
        if let scalar = Unicode.Scalar(first) { return scalar }
        // A surrogate: the high one must come first, and the low one must follow directly.
        guard (0xD800..<0xDC00).contains(first), bytes[offset..<end].starts(with: [0x5C, 0x75]) else { throw wrong }
        offset += 2
        guard let second = fourHexDigits(), (0xDC00..<0xE000).contains(second) else { throw wrong }
        let code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        guard let scalar = Unicode.Scalar(code) else { throw wrong }
        return scalar
    }

    private mutating func fourHexDigits() -> UInt32? {
        guard offset + 4 <= end else { return nil }
        let digits = bytes[offset..<(offset + 4)]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        offset += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
