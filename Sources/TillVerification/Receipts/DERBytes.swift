/// The tags of the DER elements in receipts, and functions that encode elements.
enum DERBytes {
    static let integer: UInt8 = 0x02
    static let octetString: UInt8 = 0x04
    static let null: UInt8 = 0x05
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0C
    static let printableString: UInt8 = 0x13
    static let ia5String: UInt8 = 0x16
    static let bitString: UInt8 = 0x03
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// The bit in a tag that marks a constructed element, such as a BER string that consists of pieces.
    static let constructed: UInt8 = 0x20

    /// The tag of a constructed, context-specific element: `[number]`.
    static func context(_ number: UInt8) -> UInt8 { 0xA0 | number }

    /// The size of an element's tag and length in bytes.
    static func headerCount(of length: Int) -> Int {
        switch length {
        case ..<0x80: 2
        case ..<0x100: 3
        case ..<0x1_0000: 4
        case ..<0x100_0000: 5
        default: 6
        }
    }

    /// The size in bytes of an element with a content of `length` bytes.
    static func count(of length: Int) -> Int { headerCount(of: length) + length }

    static func appendHeader(_ tag: UInt8, _ length: Int, to bytes: inout [UInt8]) {
        bytes.append(tag)
        let following = headerCount(of: length) - 2
        guard following > 0 else { return bytes.append(UInt8(length)) }
        bytes.append(0x80 | UInt8(following))
        for index in (0..<following).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: length >> (8 * index)))
        }
    }

    /// The minimum number of bytes for a number in two's complement.
    static func integerCount(_ value: Int64) -> Int {
        let magnitude = value < 0 ? ~value : value
        return (64 - magnitude.leadingZeroBitCount) / 8 + 1
    }

    static func appendInteger(_ value: Int64, to bytes: inout [UInt8]) {
        let count = integerCount(value)
        bytes.append(integer)
        bytes.append(UInt8(count))
        for index in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * Int64(index))))
        }
    }

    /// Encodes an element with a tag and the concatenated contents.
    static func element(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
        let length = contents.reduce(0) { $0 + $1.count }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count(of: length))
        appendHeader(tag, length, to: &bytes)
        for content in contents { bytes += content }
        return bytes
    }

    /// Encodes a text as a UTF8String.
    static func text(_ text: String) -> [UInt8] { element(utf8String, Array(text.utf8)) }
}
