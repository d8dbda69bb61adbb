import Foundation
import NIOCore

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`) counts as the IPv4 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]

    private init(bytes: [UInt8]) {
        self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes.dropFirst(12)) : bytes
    }

    /// Parses the text form of an address, without brackets and without a zone; nil for any other text.
    package init?(_ text: String) {
        guard !text.contains("%"), let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        self.init(address)
    }

    /// The address of a socket; nil for a socket of another family.
    package init?(_ address: SocketAddress) {
        // The address follows the family and the port, each of two bytes, and for IPv6 the flow of four bytes. The
        // members of the structures belong to different modules on different systems.
        switch address {
        case .v4(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[4..<8]) })
        case .v6(let address): self.init(bytes: withUnsafeBytes(of: address.address) { Array($0[8..<24]) })
        case .unixDomainSocket: return nil
        }
    }

    /// Whether this is the unspecified address (`0.0.0.0` or `::`). A connection to it reaches this machine.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The IPv4 address that an IPv6 address of a transition mechanism contains; nil for all other addresses.
    var embeddedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        let nat64: [UInt8] = [0, 0x64, 0xff, 0x9b] + Array(repeating: 0, count: 8)
        let isSixToFour = bytes.starts(with: [0x20, 0x02])
        let isCompatible =
            bytes.starts(with: Array(repeating: 0, count: 12)) && bytes[12...] != [0, 0, 0, 1] && !isUnspecified
        guard isSixToFour || isCompatible || bytes.starts(with: nat64) else { return nil }
        return IPAddress(bytes: Array(isSixToFour ? bytes[2..<6] : bytes[12...]))
    }

    package var description: String {
        (try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: 0))?.ipAddress ?? "an address"
    }

    /// The address with a port, as in a URL.
    func description(port: Int) -> String { bytes.count == 4 ? "\(self):\(port)" : "[\(self)]:\(port)" }
}
