/// The kind of network that an address belongs to. Only this file lists the special-purpose addresses.
package enum AddressClass: String, Sendable, CaseIterable {
    /// This machine.
    case loopback
    /// The network segment of this machine.
    case linkLocal = "link-local"
    /// The metadata service of a cloud, which returns credentials.
    case metadata
    /// A network that is not reachable from the internet.
    case privateUse = "private"
    /// Multicast, broadcast and reserved addresses, on which no server listens.
    case reserved
    /// All other addresses.
    case publicUse = "public"

    /// The ranges with their classes. The first range that contains an address determines its class.
    private static let ranges: [(range: AddressRange, kind: AddressClass)] = [
        ("127.0.0.0/8", .loopback), ("::1", .loopback),
        // A connection to the unspecified address reaches this machine.
        ("0.0.0.0/8", .loopback), ("::", .loopback),
        ("169.254.0.0/16", .linkLocal), ("fe80::/10", .linkLocal),
        ("fd00:ec2::254", .metadata), ("fd20:ce::254", .metadata), ("100.100.100.200", .metadata),
        ("10.0.0.0/8", .privateUse), ("172.16.0.0/12", .privateUse), ("192.168.0.0/16", .privateUse),
        ("100.64.0.0/10", .privateUse), ("192.0.0.0/24", .privateUse), ("198.18.0.0/15", .privateUse),
        ("fc00::/7", .privateUse), ("fec0::/10", .privateUse), ("64:ff9b:1::/48", .privateUse),
        ("2001::/32", .privateUse),
        ("224.0.0.0/4", .reserved), ("240.0.0.0/4", .reserved), ("ff00::/8", .reserved), ("100::/64", .reserved),
    ].map { text, kind in
        guard let range = AddressRange(text) else { preconditionFailure("\(text) is not a range of addresses") }
        return (range, kind)
    }

    /// The class of an address. An IPv6 address that contains an IPv4 address has the class of the IPv4 address.
    package init(_ address: IPAddress) {
        let address = address.embeddedIPv4 ?? address
        self = Self.ranges.first { $0.range.contains(address) }?.kind ?? .publicUse
    }
}
