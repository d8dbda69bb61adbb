extension JSONTree {
    /// The document as UTF-8, indented by two spaces, with keys in their order and a line break at the end.
    package func written() -> [UInt8] {
        var out: [UInt8] = []
        write(to: &out, indent: 0)
        out.append(UInt8(ascii: "\n"))
        return out
    }

    private func write(to out: inout [UInt8], indent: Int) {
        switch self {
        case .null: out.append(contentsOf: "null".utf8)
        case .bool(let value): out.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let digits): out.append(contentsOf: digits.utf8)
        case .string(let text): JSONTree.write(text, to: &out)
        case .array(let elements):
            JSONTree.write(elements, between: "[", "]", to: &out, indent: indent) { element, out in
                element.write(to: &out, indent: indent + 1)
            }
        case .object(let members):
            JSONTree.write(members, between: "{", "}", to: &out, indent: indent) { member, out in
                JSONTree.write(member.key, to: &out)
                out.append(contentsOf: ": ".utf8)
                member.value.write(to: &out, indent: indent + 1)
            }
        }
    }

    private static func write<Element>(
        _ elements: [Element],
        between open: Unicode.Scalar,
        _ close: Unicode.Scalar,
        to out: inout [UInt8],
        indent: Int,
        each: (Element, inout [UInt8]) -> Void
    ) {
        out.append(UInt8(ascii: open))
        for (index, element) in elements.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            newLine(indent + 1, to: &out)
            each(element, &out)
        }
        if !elements.isEmpty { newLine(indent, to: &out) }
        out.append(UInt8(ascii: close))
    }

    private static func newLine(_ indent: Int, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\n"))
        out.append(contentsOf: repeatElement(UInt8(ascii: " "), count: indent * 2))
    }

    private static func write(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): out.append(contentsOf: [UInt8(ascii: "\\"), byte])
            case 0x0A: out.append(contentsOf: "\\n".utf8)
            case 0..<0x20:
                let digits = String(byte, radix: 16)
                out.append(contentsOf: "\\u00\(byte < 16 ? "0" : "")\(digits)".utf8)
            default: out.append(byte)
            }
        }
        out.append(UInt8(ascii: "\""))
    }
}
