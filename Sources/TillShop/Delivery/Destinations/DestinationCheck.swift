import NIOCore
import NIOPosix

/// Says where deliveries may go: not to ports of Till's own, not beyond what the setting allows, and by a redirect not
/// from the internet into a network that the internet does not reach.
///
/// It judges addresses, never names, and the webhook client connects to the very addresses that were judged.
package struct DestinationCheck: Sendable {
    private let networks: EndpointNetworks
    private let ownPorts: OwnPorts
    /// What an address leads to.
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

    /// Why a delivery may not go to an address; nil when it may.
    ///
    /// - Parameter isFromPublic: whether a receiver with a public address redirected there.
    func refusal(of address: IPAddress, port: Int, isSecure: Bool, isFromPublic: Bool = false) -> String? {
        if ownPorts.contains(address, port: port) {
            return "\(address.description(port: port)) is a port of Till's own"
        }
        if let reason = networks.refusal(of: address, of: classify(address), isSecure: isSecure) { return reason }
        let kind = classify(address)
        guard isFromPublic, kind != .publicUse else { return nil }
        return "\(address) is a \(kind.rawValue) address, and a public one may not redirect there"
    }

    /// Why an endpoint's URL cannot be set; nil when it can, or when its name has no address yet. Every connection is
    /// judged again.
    ///
    /// - Parameter limit: how long a name server may take.
    package func refusal(ofEndpoint url: String, within limit: TimeAmount = .seconds(1)) async -> String? {
        guard let origin = WebhookTarget(url)?.origin else { return nil }
        let addresses = await HostLookup.addresses(of: origin, within: limit)
        let reasons = addresses.map { refusal(of: $0, port: origin.port, isSecure: origin.isSecure) }
        // What is left decides: as when a connection is made.
        return reasons.contains(nil) ? nil : reasons.compactMap(\.self).first
    }
}

/// No address of a receiver may be connected to.
struct DestinationRefused: Error {
    let reason: String
}
