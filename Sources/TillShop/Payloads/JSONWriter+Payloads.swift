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

    /// An array of signed texts. The loop is here and not in the generic function for arrays, which another module
    /// would not compile for this type.
    package mutating func put(_ key: StaticString, _ values: [SignedText]) {
        put(key) { bytes in
            bytes.append(UInt8(ascii: "["))
            for (place, value) in values.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                value.append(quotedTo: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        }
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
