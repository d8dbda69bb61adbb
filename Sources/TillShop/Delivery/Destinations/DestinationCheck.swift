import NIOCore
import NIOPosix

/// Decides where deliveries may go: not to Till's own ports, not to networks that the setting excludes, and not by a
/// redirect from a public address into a network that is not public.
///
/// It checks addresses, never names, and the webhook client connects to exactly the addresses that were checked.
package struct DestinationCheck: Sendable {
    private let networks: EndpointNetworks
    private let ownPorts: OwnPorts
    /// Classifies an address.
    let classify: @Sendable (IPAddress) -> AddressClass

    /// A check.
    ///
    /// - Parameter classify: replaced by tests, which have no public addresses.
    package init(
        networks: EndpointNetworks = EndpointNetworks(),
        ownPorts: OwnPorts = OwnPorts(),
        classify: @escaping @Sendable (IPAddress) -> AddressClass = { AddressClass($0) }
    ) {
        self.networks = networks
        self.ownPorts = ownPorts
        self.classify = classify
    }

    /// Why a delivery to an address is refused; nil if it is allowed.
    ///
    /// - Parameter isFromPublic: whether a server with a public address redirected there.
    func refusal(of address: IPAddress, port: Int, isSecure: Bool, isFromPublic: Bool = false) -> String? {
        if ownPorts.contains(address, port: port) {
            return "\(address.description(port: port)) is a port of this Till"
        }
        if let reason = networks.refusal(of: address, of: classify(address), isSecure: isSecure) { return reason }
        let kind = classify(address)
        guard isFromPublic, kind != .publicUse else { return nil }
        return "\(address) is a \(kind.rawValue) address, and a public one may not redirect there"
    }

    /// Why an endpoint's URL is refused; nil if it is allowed, or if its name cannot be resolved now. Every connection
    /// is checked again.
    ///
    /// - Parameter limit: the timeout of name resolution.
    package func refusal(ofEndpoint url: String, within limit: TimeAmount = .seconds(1)) async -> String? {
        guard let origin = WebhookTarget(url)?.origin else { return nil }
        let addresses = await HostLookup.addresses(of: origin, within: limit)
        let reasons = addresses.map { refusal(of: $0, port: origin.port, isSecure: origin.isSecure) }
        // One allowed address is enough, as for a connection.
        return reasons.contains(nil) ? nil : reasons.compactMap(\.self).first
    }
}

/// No address of the server is allowed.
struct DestinationRefused: Error {
    let reason: String
}
