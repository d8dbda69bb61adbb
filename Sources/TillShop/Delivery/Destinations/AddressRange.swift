/// A range of addresses in CIDR notation: `10.0.0.0/8`, `fd00::/8`, or a single address.
package struct AddressRange: Equatable, Sendable {
    private let prefix: [UInt8]
    private let length: Int

    /// Parses a range; nil for any other text. The bits after the prefix must be zero.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let bits = address.bytes.count * 8
        var length = bits
        if parts.count == 2 {
            let isNumber = !parts[1].isEmpty && parts[1].utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let number = Int(parts[1]), number <= bits else { return nil }
            length = number
        }
        let isAligned = (length..<bits).allSatisfy { address.bytes[$0 / 8] & (0x80 >> ($0 % 8)) == 0 }
        guard isAligned else { return nil }
        prefix = address.bytes
        self.length = length
    }

    /// Whether an address of the same family is in the range.
    package func contains(_ address: IPAddress) -> Bool {
        guard address.bytes.count == prefix.count else { return false }
        let whole = length / 8
        guard address.bytes[..<whole].elementsEqual(prefix[..<whole]) else { return false }
        let rest = length % 8
        return rest == 0 || (address.bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0
    }
}
