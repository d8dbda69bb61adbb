/// The setting `--endpoint-networks`: where endpoints may lead (docs/operating/settings.md).
///
/// Ports of Till's own are refused under every setting; `DestinationCheck` does that.
package struct EndpointNetworks: Equatable, Sendable {
    /// What is allowed without being listed.
    private enum Base: Sendable {
        /// Everything but link-local and metadata addresses.
        case standard
        /// HTTPS to public addresses.
        case publicHTTPS
        /// Nothing.
        case nothing
    }

    /// The name of the default.
    package static let standardName = "default"
    /// The name of the profile for operators whose users set endpoints.
    package static let publicHTTPSName = "public-https"

    private let base: Base
    private let allowed: [AddressRange]

    /// The default.
    package init() {
        base = .standard
        allowed = []
    }

    /// Reads the words of the setting: `default` or `public-https`, and networks that are allowed beside that. Networks
    /// alone allow nothing else.
    ///
    /// - Returns: nil when a word is none of these, or when both names are given.
    package init?(_ words: [String]) {
        var base: Base?
        var allowed: [AddressRange] = []
        for word in words {
            let named: Base? =
                switch word {
                case Self.standardName: .standard
                case Self.publicHTTPSName: .publicHTTPS
                default: nil
                }
            if let named {
                guard base == nil || base == named else { return nil }
                base = named
            } else if let range = AddressRange(word) {
                allowed.append(range)
            } else {
                return nil
            }
        }
        self.base = base ?? (allowed.isEmpty ? .standard : .nothing)
        self.allowed = allowed
    }

    /// Why a delivery may not go to an address of a class; nil when it may.
    func refusal(of address: IPAddress, of kind: AddressClass, isSecure: Bool) -> String? {
        guard !allowed.contains(where: { $0.contains(address) }) else { return nil }
        let advice = "allow it with --endpoint-networks"
        switch base {
        case .standard:
            let isRefused = kind == .linkLocal || kind == .metadata
            return isRefused ? "\(address) is a \(kind.rawValue) address; \(advice)" : nil
        case .publicHTTPS:
            guard kind == .publicUse else { return "\(address) is a \(kind.rawValue) address; \(advice)" }
            return isSecure ? nil : "--endpoint-networks \(Self.publicHTTPSName) allows https only"
        case .nothing:
            return "\(address) is in no network of --endpoint-networks"
        }
    }
}
