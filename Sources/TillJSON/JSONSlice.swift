/// A value within a text, as the bytes that were written. For text that Till wrote: the rest of it stays as it is,
/// whatever it contains, so strings may have bare control characters, and keys are not compared.
package struct JSONSlice: Sendable {
    private let text: [UInt8]
    private let range: Range<Int>

    /// A whole text: one value without white space around it.
    package init(_ text: [UInt8]) { self.init(text, text.indices) }

    private init(_ text: [UInt8], _ range: Range<Int>) {
        self.text = text
        self.range = range
    }

    /// The bytes of the value.
    package var bytes: ArraySlice<UInt8> { text[range] }

    /// Whether the value is a string.
    package var isString: Bool { bytes.first == UInt8(ascii: "\"") }

    /// The members of an object, in order; nil for any other value.
    package var members: [(key: String, value: JSONSlice)]? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var parser = inside
        var members: [(key: String, value: JSONSlice)] = []
        let outcome: Void? = try? parser.eachMember { parser, key throws(JSONSyntaxError) in
            members.append((key, JSONSlice(text, try parser.rangeOfValue())))
        }
        return outcome == nil ? nil : members
    }

    /// The elements of an array, in order; nil for any other value.
    package var elements: [JSONSlice]? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var parser = inside
        var elements: [JSONSlice] = []
        let outcome: Void? = try? parser.eachElement { parser throws(JSONSyntaxError) in
            elements.append(JSONSlice(text, try parser.rangeOfValue()))
        }
        return outcome == nil ? nil : elements
    }

    /// A parser behind the opening brace or bracket.
    private var inside: JSONParser {
        let limits = JSONLimits(depth: JSONLimits.depthOnly.depth, allowsControlCharacters: true)
        return JSONParser(text, in: (range.lowerBound + 1)..<range.upperBound, limits: limits, keepsNull: true)
    }
}

extension JSONParser {
    /// Where the next value is.
    fileprivate mutating func rangeOfValue() throws(JSONSyntaxError) -> Range<Int> {
        let start = offset
        _ = try value(depth: 0)
        return start..<offset
    }
}
