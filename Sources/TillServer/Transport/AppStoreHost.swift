import TillCore

/// The host names of the App Store, and the environment of each.
package enum AppStoreHost: String, CaseIterable, Sendable {
    case production = "api.storekit.apple.com"
    case sandbox = "api.storekit-sandbox.apple.com"
    case olderProduction = "api.storekit.itunes.apple.com"
    case olderSandbox = "api.storekit-sandbox.itunes.apple.com"
    case receipts = "buy.itunes.apple.com"
    case sandboxReceipts = "sandbox.itunes.apple.com"

    /// The environment of this name.
    package var environment: StoreEnvironment {
        switch self {
        case .production, .olderProduction, .receipts: .production
        case .sandbox, .olderSandbox, .sandboxReceipts: .sandbox
        }
    }
}

/// Selects the environment by host name, on a port for both environments.
package struct HostTable: Sendable {
    private let environments: [String: StoreEnvironment]
    /// Every name with an environment, sorted.
    package var names: [String] { environments.keys.sorted() }

    /// - Parameter further: the operator's additional names. A name with "sandbox" selects the sandbox, any other name
    ///   production; a first label `*` matches any label.
    package init(further: [String] = []) {
        var environments: [String: StoreEnvironment] = [:]
        for name in further {
            environments[name.lowercased()] = name.lowercased().contains("sandbox") ? .sandbox : .production
        }
        for host in AppStoreHost.allCases { environments[host.rawValue] = host.environment }
        self.environments = environments
    }

    /// The environment of a Host header or an `:authority`; nil for an unknown name.
    package func environment(of authority: String?) -> StoreEnvironment? {
        guard let name = authority.flatMap(RequestAuthority.init)?.name else { return nil }
        if let environment = environments[name] { return environment }
        return name.firstIndex(of: ".").flatMap { environments["*" + name[$0...]] }
    }
}

extension RequestAuthority {
    /// The host without a trailing dot.
    var name: String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
