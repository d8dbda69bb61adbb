/// Splits the output of `PayloadWriter`, which has no white space between tokens and no escapes in keys.
struct WrittenJSON {
    /// A key and the bytes of its value.
    struct Member {
        let key: String
        let value: ArraySlice<UInt8>
    }

    /// The members of an object, in order.
    static func members(of object: ArraySlice<UInt8>) -> [Member] {
        parts(of: object).map { part in
            let colon = end(ofValueIn: part, at: part.startIndex)
            let key = part[part.startIndex..<colon].dropFirst().dropLast()
            return Member(key: String(decoding: key, as: UTF8.self), value: part[(colon + 1)...])
        }
    }

    /// The elements of an array, in order.
    static func elements(of array: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] { parts(of: array) }

    /// The parts between the commas at the top level of an object or array.
    private static func parts(of bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let inside = bytes.dropFirst().dropLast()
        var parts: [ArraySlice<UInt8>] = []
        var start = inside.startIndex
        while start < inside.endIndex {
            var place = start
            while place < inside.endIndex, inside[place] != UInt8(ascii: ",") {
                place = end(ofValueIn: inside, at: place)
            }
            parts.append(inside[start..<place])
            start = place + 1
        }
        return parts
    }

    /// The index after the string, object or array that starts at an index, or else after one byte.
    private static func end(ofValueIn bytes: ArraySlice<UInt8>, at start: Int) -> Int {
        var depth = 0
        var isText = false
        var place = start
        while place < bytes.endIndex {
            switch bytes[place] {
            case UInt8(ascii: "\\") where isText: place += 1
            case UInt8(ascii: "\""): isText.toggle()
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += isText ? 0 : 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= isText ? 0 : 1
            default: break
            }
            place += 1
            if depth == 0, !isText { break }
        }
        return place
    }
}
