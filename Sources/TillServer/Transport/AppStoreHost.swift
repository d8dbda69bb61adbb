import TillCore

/// The App Store's host names for server APIs. Each name belongs to one environment.
package enum AppStoreHost: String, CaseIterable, Sendable {
    case production = "api.storekit.apple.com"
    case sandbox = "api.storekit-sandbox.apple.com"
    case olderProduction = "api.storekit.itunes.apple.com"
    case olderSandbox = "api.storekit-sandbox.itunes.apple.com"
    case receipts = "buy.itunes.apple.com"
    case sandboxReceipts = "sandbox.itunes.apple.com"

    /// The environment that this name belongs to.
    package var environment: StoreEnvironment {
        switch self {
        case .production, .olderProduction, .receipts: .production
        case .sandbox, .olderSandbox, .sandboxReceipts: .sandbox
        }
    }
}

/// Selects the environment by host name, for a port that serves both environments.
package struct HostTable: Sendable {
    private let environments: [String: StoreEnvironment]
    /// Every known name, sorted.
    package var names: [String] { environments.keys.sorted() }

    /// - Parameter further: the operator's additional names. A name that contains "sandbox" selects the sandbox, any
    ///   other name production. In a name with `*` as the first label, that label matches any label.
    package init(further: [String] = []) {
        var environments: [String: StoreEnvironment] = [:]
        for name in further {
            environments[name.lowercased()] = name.lowercased().contains("sandbox") ? .sandbox : .production
        }
        for host in AppStoreHost.allCases { environments[host.rawValue] = host.environment }
        self.environments = environments
    }

    /// The environment of a `Host` field or an `:authority`; nil for an unknown name.
    package func environment(of authority: String?) -> StoreEnvironment? {
        guard let name = authority.flatMap(RequestAuthority.init)?.name else { return nil }
        if let environment = environments[name] { return environment }
        return name.firstIndex(of: ".").flatMap { environments["*" + name[$0...]] }
    }
}

extension RequestAuthority {
    /// The host name without a trailing dot.
    var name: String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
