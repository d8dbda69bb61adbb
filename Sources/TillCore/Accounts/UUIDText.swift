/// UUIDs as text. Upper and lower case are equal, because clients send UUIDs in either case (docs/api/transport.md).
package enum UUIDText {
    /// The lower-case form of a UUID with 8-4-4-4-12 hexadecimal digits; nil for any other text.
    package static func canonical(_ text: String) -> String? {
        guard text.utf8.count == 36 else { return nil }
        var canonical: [UInt8] = []
        canonical.reserveCapacity(36)
        for (place, byte) in text.utf8.enumerated() {
            switch (place, byte) {
            case (8, _), (13, _), (18, _), (23, _):
                guard byte == UInt8(ascii: "-") else { return nil }
                canonical.append(byte)
            case (_, UInt8(ascii: "0")...UInt8(ascii: "9")), (_, UInt8(ascii: "a")...UInt8(ascii: "f")):
                canonical.append(byte)
            case (_, UInt8(ascii: "A")...UInt8(ascii: "F")):
                canonical.append(byte + 32)
            default:
                return nil
            }
        }
        return String(decoding: canonical, as: UTF8.self)
    }

    /// A version 4 UUID in lower case. The first 16 of these bytes are its random bits.
    package static func version4(of bytes: [UInt8]) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var written = 0
            func append(_ value: UInt8) {
                text[written] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
                written += 1
            }
            for place in 0..<16 {
                if place == 4 || place == 6 || place == 8 || place == 10 {
                    text[written] = UInt8(ascii: "-")
                    written += 1
                }
                // The version is in the seventh byte, and the variant is in the ninth (RFC 9562 section 5.4).
                let byte =
                    switch place {
                    case 6: bytes[place] & 0x0f | 0x40
                    case 8: bytes[place] & 0x3f | 0x80
                    default: bytes[place]
                    }
                append(byte >> 4)
                append(byte & 15)
            }
            return written
        }
    }
}
