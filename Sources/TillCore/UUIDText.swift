/// UUIDs as text, compared without regard to case: clients write them in both (docs/api/transport.md).
package enum UUIDText {
    /// The lower-case form of a UUID of 8-4-4-4-12 hexadecimal digits, or nil when the text is none.
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
}
