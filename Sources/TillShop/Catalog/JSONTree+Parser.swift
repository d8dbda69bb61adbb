extension JSONTree {
    /// Parses a document strictly: RFC 8259, valid UTF-8 without a byte order mark, no repeated key in an object, and
    /// within ``CatalogLimits``.
    ///
    /// Invalid JSON is reported at its first error, with line and column; every repeated key is reported.
    ///
    /// - Parameter keepsNull: whether a text may contain U+0000, which not every engine can store.
    package static func parse(_ bytes: [UInt8], keepsNull: Bool = false) throws(CatalogRefused) -> JSONTree {
        if let fault = unreadableReason(in: bytes) { throw CatalogRefused(faults: [fault]) }
        var parser = JSONTreeParser(bytes, keepsNull: keepsNull)
        let tree: JSONTree
        do {
            tree = try parser.document()
        } catch {
            throw CatalogRefused(path: "$", expected: error.expected, found: parser.place(error))
        }
        guard parser.repeatedKeys.isEmpty else { throw CatalogRefused(faults: parser.repeatedKeys) }
        return tree
    }

    /// Why bytes cannot be parsed at all.
    private static func unreadableReason(in bytes: [UInt8]) -> CatalogFault? {
        func fault(_ expected: String, _ found: String) -> CatalogFault {
            CatalogFault(path: "$", expected: expected, found: found)
        }
        if bytes.isEmpty { return fault("a JSON object", "an empty file") }
        if bytes.count > CatalogLimits.bytes {
            return fault("at most \(CatalogLimits.bytes) bytes", "\(bytes.count) bytes")
        }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return fault("UTF-8 without a byte order mark", "a byte order mark in front of the text")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return fault("UTF-8", "UTF-16")
        }
        if bytes.starts(with: Array("version https://git-lfs".utf8)) {
            return fault(
                "a JSON object",
                "a Git LFS pointer instead of the file; `git lfs pull` fetches the file itself"
            )
        }
        if String(validating: bytes, as: UTF8.self) == nil {
            return fault("UTF-8", "bytes that are not valid UTF-8")
        }
        return nil
    }
}

/// A syntax error and its position.
private struct JSONSyntaxError: Error {
    let expected: String
    let offset: Int
    /// A description of what was found, if it is more than the character at the position.
    var found: String?
}

/// A recursive descent parser over valid UTF-8; the depth limit bounds the recursion.
private struct JSONTreeParser {
    private let bytes: [UInt8]
    private var offset = 0
    private var values = 0
    private var place = JSONPlace()
    private(set) var repeatedKeys: [CatalogFault] = []
    private var bytesOfFaults = 0
    private let keepsNull: Bool

    init(_ bytes: [UInt8], keepsNull: Bool) {
        self.bytes = bytes
        self.keepsNull = keepsNull
    }

    /// The whole text as one value.
    mutating func document() throws(JSONSyntaxError) -> JSONTree {
        let tree = try value(depth: 0)
        skipSpace()
        if offset < bytes.count { throw JSONSyntaxError(expected: "nothing after the document", offset: offset) }
        return tree
    }

    /// The description of an error, with its line and column, both from 1; columns count bytes.
    func place(_ error: JSONSyntaxError) -> String {
        let before = bytes[..<error.offset]
        let line = before.count { $0 == 0x0A } + 1
        let column = error.offset - (before.lastIndex(of: 0x0A) ?? -1)
        let found: String =
            if let said = error.found {
                said
            } else if error.offset >= bytes.count {
                "the end of the text"
            } else if bytes[error.offset] < 0x20 {
                "a control character"
            } else {
                "`\(JSONTree.short(String(decoding: bytes[error.offset...].prefix(12), as: UTF8.self)))`"
            }
        return "\(found) at line \(line), column \(column)"
    }

    private mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        skipSpace()
        values += 1
        if values > CatalogLimits.values {
            throw JSONSyntaxError(expected: "at most \(CatalogLimits.values) values", offset: offset, found: "more")
        }
        guard offset < bytes.count else { throw JSONSyntaxError(expected: "a JSON value", offset: offset) }
        switch bytes[offset] {
        case UInt8(ascii: "{"): return try object(depth: depth + 1)
        case UInt8(ascii: "["): return try array(depth: depth + 1)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: throw JSONSyntaxError(expected: "a JSON value", offset: offset)
        }
    }

    private mutating func object(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        try enter(depth)
        var members: [JSONTree.Member] = []
        var seen: Set<String> = []
        if take("}") { return .object([]) }
        repeat {
            skipSpace()
            guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else {
                throw JSONSyntaxError(expected: "a key in double quotes", offset: offset)
            }
            let key = try string()
            place.enter(key)
            if !seen.insert(key).inserted { noteRepeatedKey() }
            guard take(":") else { throw JSONSyntaxError(expected: "`:` after a key", offset: offset) }
            members.append(JSONTree.Member(key, try value(depth: depth)))
            place.leave()
        } while take(",")
        guard take("}") else { throw JSONSyntaxError(expected: "`,` or `}` after a value", offset: offset) }
        return .object(members)
    }

    /// The key is the last step of the present path.
    private mutating func noteRepeatedKey() {
        guard repeatedKeys.count < CatalogLimits.faults, bytesOfFaults < CatalogLimits.bytesOfFaults else { return }
        let fault = CatalogFault(path: place.path, expected: "each key once", found: "the key twice")
        bytesOfFaults += fault.path.utf8.count
        repeatedKeys.append(fault)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        try enter(depth)
        var elements: [JSONTree] = []
        if take("]") { return .array([]) }
        repeat {
            place.enter(elements.count)
            elements.append(try value(depth: depth))
            place.leave()
        } while take(",")
        guard take("]") else { throw JSONSyntaxError(expected: "`,` or `]` after a value", offset: offset) }
        return .array(elements)
    }

    private mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
        if depth > CatalogLimits.depth {
            throw JSONSyntaxError(expected: "at most \(CatalogLimits.depth) levels", offset: offset, found: "one more")
        }
        offset += 1
    }

    private mutating func skipSpace() {
        while offset < bytes.count {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    /// Skips a punctuation mark and the space before it, if it is there.
    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: mark) else { return false }
        offset += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ meaning: JSONTree) throws(JSONSyntaxError) -> JSONTree {
        let wanted = Array(text.description.utf8)
        guard bytes[offset...].starts(with: wanted) else {
            throw JSONSyntaxError(expected: "a JSON value", offset: offset)
        }
        offset += wanted.count
        return meaning
    }
}

extension JSONTreeParser {
    /// The digits of a number; RFC 8259 allows no leading zeros and no plus sign.
    private mutating func number() throws(JSONSyntaxError) -> String {
        let start = offset
        if bytes[offset] == UInt8(ascii: "-") { offset += 1 }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: "0") { offset += 1 } else { try digits() }
        if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
            offset += 1
            try digits()
        }
        if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < bytes.count, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[offset]) { offset += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<offset], as: UTF8.self)
    }

    private mutating func digits() throws(JSONSyntaxError) {
        let start = offset
        while offset < bytes.count, (0x30...0x39).contains(bytes[offset]) { offset += 1 }
        if offset == start { throw JSONSyntaxError(expected: "a digit", offset: offset) }
    }

    /// The text between two quotes; the offset is at the first of them.
    private mutating func string() throws(JSONSyntaxError) -> String {
        let start = offset
        var text: [UInt8] = []
        offset += 1
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                text.append(contentsOf: String(Character(try escape())).utf8)
            case 0..<0x20:
                throw JSONSyntaxError(expected: "no bare control character in a string", offset: offset)
            default:
                text.append(bytes[offset])
                offset += 1
            }
        }
        throw JSONSyntaxError(expected: "a closing quote", offset: start, found: "a string without an end")
    }

    private mutating func escape() throws(JSONSyntaxError) -> Unicode.Scalar {
        let start = offset
        offset += 2
        guard start + 1 < bytes.count else { throw JSONSyntaxError(expected: "an escape", offset: start) }
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
        guard (0xD800..<0xDC00).contains(first), bytes[offset...].starts(with: [0x5C, 0x75]) else { throw wrong }
        offset += 2
        guard let second = fourHexDigits(), (0xDC00..<0xE000).contains(second) else { throw wrong }
        let code = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
        guard let scalar = Unicode.Scalar(code) else { throw wrong }
        return scalar
    }

    private mutating func fourHexDigits() -> UInt32? {
        guard offset + 4 <= bytes.count else { return nil }
        let digits = bytes[offset..<(offset + 4)]
        guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
        offset += 4
        return UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
    }
}
