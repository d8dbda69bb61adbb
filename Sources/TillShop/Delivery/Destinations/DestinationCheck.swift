import NIOCore

/// Decides to which addresses Till may send deliveries. It refuses Till's own ports, networks that the setting
/// `--endpoint-networks` excludes, and redirects from a public address to an address that is not public.
///
/// The check uses addresses, never names, and the webhook client connects only to an address that was checked.
package struct DestinationCheck: Sendable {
    private let networks: EndpointNetworks
    /// The ports on which this server and the other nodes listen.
    package let ownPorts: OwnPorts
    /// Classifies an address.
    let classify: @Sendable (IPAddress) -> AddressClass

    /// Creates a check.
    ///
    /// - Parameter classify: classifies an address. Tests replace this function, because they have no public addresses.
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
    /// - Parameter isFromPublic: whether a server with a public address redirected the delivery to this address.
    func refusal(of address: IPAddress, port: Int, isSecure: Bool, isFromPublic: Bool = false) -> String? {
        if ownPorts.contains(address, port: port) {
            return "\(address.description(port: port)) is a port of this Till"
        }
        if let reason = networks.refusal(of: address, of: classify(address), isSecure: isSecure) { return reason }
        let kind = classify(address)
        guard isFromPublic, kind != .publicUse else { return nil }
        return "\(address) is a \(kind.rawValue) address, and a public server may not redirect to it"
    }

    /// The addresses to which a delivery may be sent.
    ///
    /// - Throws: a `WebhookFailure` with the reason if there are addresses, and none of them is allowed.
    func allowed(_ addresses: [SocketAddress], of origin: WebhookOrigin, isFromPublic: Bool) throws -> [SocketAddress] {
        var reason: String?
        let allowed = addresses.filter { address in
            let (port, isSecure) = (origin.port, origin.isSecure)
            guard let address = IPAddress(address),
                let refused = refusal(of: address, port: port, isSecure: isSecure, isFromPublic: isFromPublic)
            else { return true }
            reason = reason ?? refused
            return false
        }
        if let reason, allowed.isEmpty { throw WebhookFailure(refused: reason, at: origin) }
        return allowed
    }

    /// Why an endpoint's URL is refused; nil if it is allowed, or if its host cannot be resolved now. The address is
    /// checked again before every connection.
    ///
    /// - Parameter limit: the timeout of name resolution.
    package func refusal(ofEndpoint url: String, within limit: TimeAmount = .seconds(1)) async -> String? {
        guard let origin = WebhookTarget(url)?.origin,
            let addresses = try? await HostLookup.addresses(of: origin, by: .now() + limit).get()
        else { return nil }
        do {
            // One allowed address is enough, because a connection also uses only the allowed addresses of a host.
            _ = try allowed(addresses, of: origin, isFromPublic: false)
            return nil
        } catch {
            return (error as? WebhookFailure)?.refusal
        }
    }
}
