import Foundation
import NIOCore

/// An IPv4 or IPv6 address. An IPv4-mapped IPv6 address (`::ffff:127.0.0.1`) counts as the IPv4 address.
package struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// 4 or 16 bytes in network order.
    package let bytes: [UInt8]

    private static let mappedPrefix: [UInt8] = Array(repeating: 0, count: 10) + [0xff, 0xff]

    init?(bytes: [UInt8]) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes.starts(with: Self.mappedPrefix) ? Array(bytes.dropFirst(12)) : bytes
    }

    /// Parses the text form of an address, without brackets and without a zone; nil for any other text.
    package init?(_ text: String) {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if inet_pton(family, text, &bytes) == 1 {
                self.init(bytes: bytes)
                return
            }
        }
        return nil
    }

    /// The address of a socket; nil for a socket of another family.
    package init?(_ address: SocketAddress) {
        switch address {
        case .v4(let address):
            var address = address.address.sin_addr
            self.init(bytes: withUnsafeBytes(of: &address) { Array($0) })
        case .v6(let address):
            var address = address.address.sin6_addr
            self.init(bytes: withUnsafeBytes(of: &address) { Array($0) })
        case .unixDomainSocket:
            return nil
        }
    }

    /// Whether this is the unspecified address (`0.0.0.0` or `::`). A connection to it reaches this machine.
    var isUnspecified: Bool { bytes.allSatisfy { $0 == 0 } }

    /// The IPv4 address that an IPv6 address of a transition mechanism contains; nil for all other addresses.
    var embeddedIPv4: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if bytes.starts(with: [0, 0x64, 0xff, 0x9b] + Array(repeating: 0, count: 8)) {
            return IPAddress(bytes: Array(bytes[12...]))  // NAT64
        }
        if bytes.starts(with: [0x20, 0x02]) { return IPAddress(bytes: Array(bytes[2..<6])) }  // 6to4
        let isCompatible = bytes.starts(with: Array(repeating: 0, count: 12)) && bytes[12...] != [0, 0, 0, 1]
        return isCompatible && !isUnspecified ? IPAddress(bytes: Array(bytes[12...])) : nil
    }

    package var description: String {
        var text = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard inet_ntop(family, bytes, &text, socklen_t(text.count)) != nil else { return "an address" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The address with a port, as in a URL.
    func description(port: Int) -> String { bytes.count == 4 ? "\(self):\(port)" : "[\(self)]:\(port)" }
}
