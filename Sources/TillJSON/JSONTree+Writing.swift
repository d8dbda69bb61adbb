extension JSONTree {
    /// The document as UTF-8, indented by two spaces, with keys in their order and a line break at the end.
    package func written() -> [UInt8] {
        var out: [UInt8] = []
        write(to: &out, indent: 0)
        out.append(UInt8(ascii: "\n"))
        return out
    }

    /// Appends the document without white space, as ``JSONWriter`` writes it.
    package func append(to out: inout [UInt8]) { write(to: &out, indent: nil) }

    /// The document as UTF-8 without white space.
    package var compact: [UInt8] {
        var bytes: [UInt8] = []
        append(to: &bytes)
        return bytes
    }

    /// - Parameter indent: the present depth; nil writes everything without white space.
    private func write(to out: inout [UInt8], indent: Int?) {
        switch self {
        case .null: out.append(contentsOf: "null".utf8)
        case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let digits): out.append(contentsOf: digits.utf8)
        case .string(let text): JSONWriter.append(quoted: text, to: &out, shortLineBreaks: indent != nil)
        case .array(let elements):
            JSONTree.write(elements, between: "[", "]", to: &out, indent: indent) { element, out in
                element.write(to: &out, indent: indent.map { $0 + 1 })
            }
        case .object(let members):
            JSONTree.write(members, between: "{", "}", to: &out, indent: indent) { member, out in
                JSONWriter.append(quoted: member.key, to: &out, shortLineBreaks: indent != nil)
                out.append(contentsOf: (indent == nil ? ":" : ": ").utf8)
                member.value.write(to: &out, indent: indent.map { $0 + 1 })
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        between open: Unicode.Scalar,
        _ close: Unicode.Scalar,
        to out: inout [UInt8],
        indent: Int?,
        each: (Element, inout [UInt8]) -> Void
    ) {
        out.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            if let indent { newLine(indent + 1, to: &out) }
            each(element, &out)
        }
        if let indent, !elements.isEmpty { newLine(indent, to: &out) }
        out.append(UInt8(ascii: close))
    }

    private static func newLine(_ indent: Int, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\n"))
        out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * 2))
    }
}

// MARK: Building

extension JSONTree {
    /// An object without the nil values.
    package static func members(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// A string; nil for nil.
    package static func text(_ text: String?) -> JSONTree? { text.map { .string($0) } }

    /// A whole number; nil for nil.
    package static func count(_ number: (some BinaryInteger)?) -> JSONTree? { number.map { .number(String($0)) } }
}
