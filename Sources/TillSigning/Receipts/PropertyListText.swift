/// Reads and writes NeXTSTEP property lists as text, as far as receipts use them: one dictionary of quoted strings.
enum PropertyListText {
    /// Writes one pair per line, indented by a tab, with spaces around the equals sign. Existing clients match this
    /// layout with regular expressions.
    static func write(_ pairs: [(String, String)]) -> String {
        "{\n" + pairs.map { "\t\(quoted($0)) = \(quoted($1));\n" }.joined() + "}"
    }

    /// Reads a dictionary of quoted strings. Duplicate names are rejected.
    static func read(_ bytes: [UInt8]) throws(ReceiptRefusal) -> [String: String] {
        var reader = Reader(rest: bytes[...])
        var values: [String: String] = [:]
        guard reader.skip("{") else { throw .malformed(reason: "does not begin with {") }
        while !reader.skip("}") {
            guard let name = reader.string(), reader.skip("="), let value = reader.string(), reader.skip(";") else {
                throw .malformed(reason: "is not a list of quoted names and values, such as \"name\" = \"value\";")
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw .malformed(reason: "has \(Words.quoted(name)) twice")
            }
        }
        reader.skipSpace()
        guard reader.rest.isEmpty else { throw .malformed(reason: "has bytes after its end") }
        return values
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// Quotes a text. Each UTF-16 code unit that is neither printable ASCII nor a line feed becomes `\Uxxxx`.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for unit in text.utf16 {
            switch unit {
            case 0x22: result += "\\\""
            case 0x5C: result += "\\\\"
            case 0x0A: result += "\\n"
            case 0x20...0x7E: result.unicodeScalars.append(Unicode.Scalar(UInt8(unit)))
            default:
                result += "\\U" + Hexadecimal.text([UInt8(unit >> 8), UInt8(unit & 0xFF)])
            }
        }
        return result + "\""
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skipSpace() {
            rest = rest.drop(while: isSpace)
        }

        mutating func skip(_ mark: Unicode.Scalar) -> Bool {
            skipSpace()
            guard rest.first == UInt8(ascii: mark) else { return false }
            rest = rest.dropFirst()
            return true
        }

        /// Reads a string between quotation marks; nil if the string is missing or malformed.
        mutating func string() -> String? {
            guard skip("\"") else { return nil }
            var units: [UInt16] = []
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "\""):
                    return String(validating: units, as: UTF16.self)
                case UInt8(ascii: "\\"):
                    guard let unit = escaped() else { return nil }
                    units.append(unit)
                case ..<0x80:
                    units.append(UInt16(byte))
                default:
                    return nil
                }
            }
            return nil
        }

        private mutating func escaped() -> UInt16? {
            switch rest.popFirst() {
            case UInt8(ascii: "\""): return 0x22
            case UInt8(ascii: "\\"): return 0x5C
            case UInt8(ascii: "n"): return 0x0A
            case UInt8(ascii: "U"):
                let digits = rest.prefix(4)
                rest = rest.dropFirst(4)
                guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
                    return nil
                }
                return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
            default: return nil
            }
        }
    }
}
