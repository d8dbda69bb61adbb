import TillCore

/// The names under which clients know the App Store, and the environment behind each.
package enum AppStoreHost: String, CaseIterable, Sendable {
    case production = "api.storekit.apple.com"
    case sandbox = "api.storekit-sandbox.apple.com"
    case olderProduction = "api.storekit.itunes.apple.com"
    case olderSandbox = "api.storekit-sandbox.itunes.apple.com"
    case receipts = "buy.itunes.apple.com"
    case sandboxReceipts = "sandbox.itunes.apple.com"

    /// The environment that answers under this name.
    package var environment: StoreEnvironment {
        switch self {
        case .production, .olderProduction, .receipts: .production
        case .sandbox, .olderSandbox, .sandboxReceipts: .sandbox
        }
    }
}

/// Which environment a name leads to, where one port serves both.
package struct HostTable: Sendable {
    private let environments: [String: StoreEnvironment]
    /// Every name that leads to an environment, sorted.
    package var names: [String] { environments.keys.sorted() }

    /// - Parameter further: names that the operator added. With "sandbox" in it a name leads to the sandbox, otherwise
    ///   to production; a first label `*` stands for any.
    package init(further: [String] = []) {
        var environments: [String: StoreEnvironment] = [:]
        for name in further {
            environments[name.lowercased()] = name.lowercased().contains("sandbox") ? .sandbox : .production
        }
        for host in AppStoreHost.allCases { environments[host.rawValue] = host.environment }
        self.environments = environments
    }

    /// The environment of a Host header or an `:authority`; nil when the name is none of these.
    package func environment(of authority: String?) -> StoreEnvironment? {
        guard let name = authority.flatMap(RequestAuthority.init)?.name else { return nil }
        if let environment = environments[name] { return environment }
        return name.firstIndex(of: ".").flatMap { environments["*" + name[$0...]] }
    }
}

extension RequestAuthority {
    /// The host without a dot at its end.
    var name: String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
