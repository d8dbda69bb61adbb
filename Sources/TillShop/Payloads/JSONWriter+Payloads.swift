import TillCore
import TillJSON
import TillSigning

/// Values of payloads and answers.
extension JSONWriter {
    /// An instant: milliseconds since 1970.
    package mutating func put(_ key: StaticString, _ value: Timestamp?) {
        put(key, value?.milliseconds)
    }

    /// A signed text, which needs no escapes.
    package mutating func put(_ key: StaticString, _ value: SignedText?) {
        guard let value else { return }
        put(key) { bytes in value.append(quotedTo: &bytes) }
    }

    /// An array of signed texts.
    package mutating func put(_ key: StaticString, _ values: [SignedText]) {
        put(key, elements: values) { value, bytes in value.append(quotedTo: &bytes) }
    }
}

extension SignedText {
    fileprivate func append(quotedTo bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: header)
        bytes.append(contentsOf: rest)
        bytes.append(UInt8(ascii: "\""))
    }
}
