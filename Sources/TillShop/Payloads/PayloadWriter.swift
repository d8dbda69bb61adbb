import TillCore
import TillSigning

/// Writes one JSON object as bytes, key by key, in the order of the calls. A nil value omits its key, because Apple
/// never sends null (docs/api/transport.md).
package struct PayloadWriter {
    /// The JSON written so far, as UTF-8. `finish()` adds the closing brace.
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

    package mutating func put(_ key: StaticString, _ value: Timestamp?) {
        put(key, value?.milliseconds)
    }

    package mutating func put(_ key: StaticString, _ value: Bool?) {
        guard let value else { return }
        begin(key)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
    }

    /// Writes an array of strings.
    package mutating func put(_ key: StaticString, _ values: [String]) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (place, value) in values.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            Self.append(quoted: value, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a signed text, which needs no escapes.
    package mutating func put(_ key: StaticString, _ value: SignedText?) {
        guard let value else { return }
        begin(key)
        append(value)
    }

    /// Writes an array of signed texts.
    package mutating func put(_ key: StaticString, _ values: [SignedText]) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (place, value) in values.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            append(value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    private mutating func append(_ value: SignedText) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: value.header)
        bytes.append(contentsOf: value.rest)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Writes a value that is already JSON.
    package mutating func put(_ key: StaticString, written value: [UInt8]?) {
        guard let value else { return }
        begin(key)
        bytes.append(contentsOf: value)
    }

    /// Writes an array of objects that are already JSON.
    package mutating func put(_ key: StaticString, objects: [[UInt8]]) {
        begin(key)
        bytes.append(UInt8(ascii: "["))
        for (place, object) in objects.enumerated() {
            if place > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes.append(contentsOf: object)
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

    private static let hexadecimal = Array("0123456789abcdef".utf8)

    /// Appends a text as a JSON string.
    static func append(quoted text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // Most texts need no escapes, so they are copied as a whole.
            if utf8.contains(where: isEscaped) {
                for byte in utf8 { append(escaped: byte, to: &bytes) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(escaped byte: UInt8, to bytes: inout [UInt8]) {
        if byte < 0x20 {
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(hexadecimal[Int(byte >> 4)])
            bytes.append(hexadecimal[Int(byte & 15)])
        } else {
            if isEscaped(byte) { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
    }
}
