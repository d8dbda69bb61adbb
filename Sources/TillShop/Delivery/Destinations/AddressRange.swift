/// A range of addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or a single address.
package struct AddressRange: Equatable, Sendable {
    private let first: IPAddress
    /// The number of bits that all addresses of the range share.
    private let length: Int

    /// Parses a range; nil for any other text. The bits after the prefix must be zero.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first.flatMap({ IPAddress(String($0)) }) else { return nil }
        self.first = first
        let bits = first.bytes.count * 8
        length = parts.count == 2 ? Int(parts[1]) ?? -1 : bits
        let isNumber = parts.count == 1 || parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard isNumber, (0...bits).contains(length), Self.prefix(of: first, length) == first.bytes else { return nil }
    }

    /// Whether an address of the same family is in the range.
    package func contains(_ address: IPAddress) -> Bool {
        address.bytes.count == first.bytes.count && Self.prefix(of: address, length) == first.bytes
    }

    /// The bytes of an address, with zeros after its first `length` bits.
    private static func prefix(of address: IPAddress, _ length: Int) -> [UInt8] {
        address.bytes.enumerated().map { index, byte in byte & ~(UInt8.max >> min(max(length - index * 8, 0), 8)) }
    }
}
