/// The setting `--endpoint-networks`: the networks to which Till may send deliveries (docs/operating/settings.md).
///
/// With every setting, `DestinationCheck` also refuses Till's own ports.
package struct EndpointNetworks: Equatable, Sendable {
    /// The addresses that are allowed in addition to the listed networks.
    private enum Base: String {
        /// Everything except link-local and metadata addresses.
        case standard = "default"
        /// HTTPS to public addresses.
        case publicHTTPS = "public-https"
        /// No address.
        case nothing = ""
    }

    /// The name of the default profile.
    package static let standardName = Base.standard.rawValue
    /// The name of the profile for servers whose users may set endpoints.
    package static let publicHTTPSName = Base.publicHTTPS.rawValue

    private let base: Base
    private let allowed: [AddressRange]

    /// Creates the default setting.
    package init() {
        base = .standard
        allowed = []
    }

    /// Parses the setting: `default` or `public-https`, and networks that are allowed in addition. If only networks are
    /// given, every other address is refused.
    ///
    /// - Returns: nil for an unknown word, or if both profiles are given.
    package init?(_ words: [String]) {
        let bases = Set(words.filter { [Self.standardName, Self.publicHTTPSName].contains($0) })
        let ranges = words.filter { !bases.contains($0) }.map { AddressRange($0) }
        guard bases.count <= 1, !ranges.contains(nil) else { return nil }
        allowed = ranges.compactMap(\.self)
        base = bases.first.flatMap(Base.init) ?? (allowed.isEmpty ? .standard : .nothing)
    }

    /// Why a delivery to an address of this class is refused; nil if it is allowed.
    func refusal(of address: IPAddress, of kind: AddressClass, isSecure: Bool) -> String? {
        guard !allowed.contains(where: { $0.contains(address) }) else { return nil }
        let advice = "allow it with --endpoint-networks"
        switch base {
        case .standard:
            let isRefused = kind == .linkLocal || kind == .metadata
            return isRefused ? "\(address) is a \(kind.rawValue) address; \(advice)" : nil
        case .publicHTTPS:
            guard kind == .publicUse else { return "\(address) is a \(kind.rawValue) address; \(advice)" }
            return isSecure ? nil : "--endpoint-networks \(base.rawValue) allows https only"
        case .nothing:
            return "\(address) is not in a network that --endpoint-networks allows"
        }
    }
}
