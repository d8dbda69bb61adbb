/// Writes one JSON object as bytes, without white space, key by key, in the order of the calls. A nil value omits its
/// key, because Apple never sends null (docs/api/transport.md).
package struct JSONWriter {
    /// UTF-8 so far; `finish()` adds the closing brace.
    package private(set) var bytes: [UInt8]
    private var isFirst = true

    /// Begins an object.
    package init(capacity: Int = 1_024) {
        bytes = []
        bytes.reserveCapacity(capacity)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends the object and returns its bytes without a copy.
    package mutating func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        defer { bytes = [] }
        return bytes
    }

    /// Ends the bytes with a last key, and returns them. The caller appends the value and the closing brace.
    package mutating func finish(before key: StaticString) -> [UInt8] {
        begin(key)
        defer { bytes = [] }
        return bytes
    }

    package mutating func put(_ key: StaticString, _ value: String?) {
        guard let value else { return }
        begin(key)
        Self.append(quoted: value, to: &bytes)
    }

    package mutating func put(_ key: StaticString, _ value: Int64?) {
        guard let value else { return }
        begin(key)
        bytes.append(contentsOf: String(value).utf8)
    }

    package mutating func put(_ key: StaticString, _ value: Int?) {
        put(key, value.map { Int64($0) })
    }

    package mutating func put(_ key: StaticString, _ value: Bool?) {
        guard let value else { return }
        begin(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes an array of strings.
    package mutating func put(_ key: StaticString, _ values: [String]) {
        put(key, elements: values) { value, bytes in Self.append(quoted: value, to: &bytes) }
    }

    /// Writes a value that is already JSON.
    package mutating func put(_ key: StaticString, written value: [UInt8]?) {
        guard let value else { return }
        begin(key)
        bytes.append(contentsOf: value)
    }

    /// Writes an array of objects that are already JSON.
    package mutating func put(_ key: StaticString, objects: [[UInt8]]) {
        put(key, elements: objects) { object, bytes in bytes.append(contentsOf: object) }
    }

    /// A string of ASCII bytes that need no escapes.
    package mutating func put(_ key: StaticString, quoting ascii: [UInt8]) {
        begin(key)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: ascii)
        bytes.append(UInt8(ascii: "\""))
    }

    /// A value that a function appends.
    package mutating func put(_ key: StaticString, appending append: (inout [UInt8]) -> Void) {
        begin(key)
        append(&bytes)
    }

    /// An array of values that a function appends.
    package mutating func put<Element>(
        _ key: StaticString,
        elements: [Element],
        appending append: (Element, inout [UInt8]) -> Void
    ) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (place, element) in elements.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(element, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func begin(_ key: StaticString) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        bytes.append(UInt8(ascii: "\""))
        key.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Strings

    /// Appends a text as a JSON string.
    ///
    /// - Parameter shortLineBreaks: writes a line break as `\n`, for people; otherwise every control character has the
    ///   form `\u000a`.
    static func append(quoted text: String, to bytes: inout [UInt8], shortLineBreaks: Bool = false) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // Most texts need no escapes, so they are copied as a whole.
            if utf8.contains(where: isEscaped) {
                for byte in utf8 { append(escaped: byte, to: &bytes, shortLineBreaks) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(escaped byte: UInt8, to bytes: inout [UInt8], _ shortLineBreaks: Bool) {
        if byte == 0x0A, shortLineBreaks {
            bytes.append(contentsOf: "\\n".utf8)
        } else if byte < 0x20 {
            let hexadecimal: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: "\\u00".utf8)
            hexadecimal.withUTF8Buffer { digits in
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            }
        } else {
            if isEscaped(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
    }
}
