extension JSONTree {
    /// Parses a text strictly: RFC 8259, valid UTF-8 without a byte order mark, no repeated key in an object, and
    /// within the limits.
    ///
    /// Invalid JSON is reported at its first error, with line and column; every repeated key is reported.
    ///
    /// - Parameter keepsNull: whether a string may contain U+0000, which not every engine can store.
    package static func parse(
        _ bytes: [UInt8],
        limits: JSONLimits = .standard,
        keepsNull: Bool = false
    ) throws(JSONError) -> JSONTree {
        if let fault = unreadableReason(in: bytes, limits) { throw JSONError(fault) }
        var parser = JSONParser(bytes, in: bytes.indices, limits: limits, keepsNull: keepsNull)
        let tree: JSONTree
        do {
            tree = try parser.document()
        } catch {
            throw parser.described(error)
        }
        if let first = parser.repeatedKeys.first {
            throw JSONError(faults: parser.repeatedKeys, withoutExcerpt: first)
        }
        return tree
    }

    /// Why bytes cannot be parsed at all.
    private static func unreadableReason(in bytes: [UInt8], _ limits: JSONLimits) -> JSONFault? {
        func fault(_ expected: String, _ found: String) -> JSONFault {
            JSONFault(path: "$", expected: expected, found: found)
        }
        if bytes.isEmpty { return fault("a JSON value", "an empty text") }
        if bytes.count > limits.bytes { return fault("at most \(limits.bytes) bytes", "\(bytes.count) bytes") }
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return fault("UTF-8 without a byte order mark", "a byte order mark in front of the text")
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return fault("UTF-8", "UTF-16")
        }
        // Most texts are ASCII, and need no copy to be checked.
        if bytes.contains(where: { $0 >= 0x80 }), String(validating: bytes, as: UTF8.self) == nil {
            return fault("UTF-8", "bytes that are not valid UTF-8")
        }
        return nil
    }
}

/// A syntax error and its position.
struct JSONSyntaxError: Error {
    let expected: String
    let offset: Int
    /// A description of what was found, if it is more than the character at the position.
    var found: String?
}

/// A recursive descent parser over valid UTF-8; the depth limit bounds the recursion.
struct JSONParser {
    let bytes: [UInt8]
    /// The end of the part that is read.
    let end: Int
    var offset: Int
    private var values = 0
    private var path = JSONPath()
    private(set) var repeatedKeys: [JSONFault] = []
    private var bytesOfFaults = 0
    let limits: JSONLimits
    let keepsNull: Bool

    init(_ bytes: [UInt8], in range: Range<Int>, limits: JSONLimits, keepsNull: Bool) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
        self.limits = limits
        self.keepsNull = keepsNull
    }

    /// The whole text as one value.
    mutating func document() throws(JSONSyntaxError) -> JSONTree {
        let tree = try value(depth: 0)
        skipSpace()
        if offset < end { throw JSONSyntaxError(expected: "nothing after the document", offset: offset) }
        return tree
    }

    /// An error with its line and column, both from 1; columns count bytes.
    func described(_ error: JSONSyntaxError) -> JSONError {
        let before = bytes[..<error.offset]
        let line = before.count { $0 == 0x0A } + 1
        let column = error.offset - (before.lastIndex(of: 0x0A) ?? -1)
        func fault(_ found: String) -> JSONFault {
            JSONFault(path: "$", expected: error.expected, found: "\(found) at line \(line), column \(column)")
        }
        if let said = error.found { return JSONError(fault(said)) }
        if error.offset >= end { return JSONError(fault("the end of the text")) }
        if bytes[error.offset] < 0x20 { return JSONError(fault("a control character")) }
        let excerpt = JSONTree.short(String(decoding: bytes[error.offset..<end].prefix(12), as: UTF8.self))
        return JSONError(faults: [fault("`\(excerpt)`")], withoutExcerpt: fault("something else"))
    }

    mutating func value(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        skipSpace()
        values += 1
        if values > limits.values {
            throw JSONSyntaxError(expected: "at most \(limits.values) values", offset: offset, found: "more")
        }
        guard offset < end else { throw JSONSyntaxError(expected: "a JSON value", offset: offset) }
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
        try eachMember { parser, key throws(JSONSyntaxError) in
            parser.path.enter(key)
            if Self.isRepeated(key, members, &seen) { parser.noteRepeatedKey() }
            members.append(JSONTree.Member(key, try parser.value(depth: depth)))
            parser.path.leave()
        }
        return .object(members)
    }

    /// Calls a function at the value of each member; the offset is behind the opening brace.
    mutating func eachMember(
        _ body: (inout JSONParser, _ key: String) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        if take("}") { return }
        repeat {
            skipSpace()
            guard offset < end, bytes[offset] == UInt8(ascii: "\"") else {
                throw JSONSyntaxError(expected: "a key in double quotes", offset: offset)
            }
            let key = try string()
            guard take(":") else { throw JSONSyntaxError(expected: "`:` after a key", offset: offset) }
            try body(&self, key)
        } while take(",")
        guard take("}") else { throw JSONSyntaxError(expected: "`,` or `}` after a value", offset: offset) }
    }

    /// Whether a key is one of the members. Only objects with many keys need a set.
    private static func isRepeated(_ key: String, _ members: [JSONTree.Member], _ seen: inout Set<String>) -> Bool {
        if members.count < 16 { return members.contains { $0.key == key } }
        if seen.isEmpty { seen = Set(members.map(\.key)) }
        return !seen.insert(key).inserted
    }

    /// The key is the last step of the present path.
    private mutating func noteRepeatedKey() {
        guard repeatedKeys.count < JSONLimits.faults, bytesOfFaults < JSONLimits.bytesOfFaults else { return }
        let fault = JSONFault(path: path.text, expected: "each key once", found: "the key twice")
        bytesOfFaults += fault.path.utf8.count
        repeatedKeys.append(fault)
    }

    private mutating func array(depth: Int) throws(JSONSyntaxError) -> JSONTree {
        try enter(depth)
        var elements: [JSONTree] = []
        try eachElement { parser throws(JSONSyntaxError) in
            parser.path.enter(elements.count)
            elements.append(try parser.value(depth: depth))
            parser.path.leave()
        }
        return .array(elements)
    }

    /// Calls a function at each element; the offset is behind the opening bracket.
    mutating func eachElement(
        _ body: (inout JSONParser) throws(JSONSyntaxError) -> Void
    ) throws(JSONSyntaxError) {
        if take("]") { return }
        repeat { try body(&self) } while take(",")
        guard take("]") else { throw JSONSyntaxError(expected: "`,` or `]` after a value", offset: offset) }
    }

    private mutating func enter(_ depth: Int) throws(JSONSyntaxError) {
        if depth > limits.depth {
            throw JSONSyntaxError(expected: "at most \(limits.depth) levels", offset: offset, found: "one more")
        }
        offset += 1
    }

    private mutating func skipSpace() {
        while offset < end {
            switch bytes[offset] {
            case 0x20, 0x0A, 0x0D, 0x09: offset += 1
            default: return
            }
        }
    }

    /// Skips a punctuation mark and the space before it, if it is there.
    private mutating func take(_ mark: Unicode.Scalar) -> Bool {
        skipSpace()
        guard offset < end, bytes[offset] == UInt8(ascii: mark) else { return false }
        offset += 1
        return true
    }

    private mutating func word(_ text: StaticString, _ meaning: JSONTree) throws(JSONSyntaxError) -> JSONTree {
        let wanted = text.description.utf8
        guard bytes[offset..<end].starts(with: wanted) else {
            throw JSONSyntaxError(expected: "a JSON value", offset: offset)
        }
        offset += wanted.count
        return meaning
    }
}
