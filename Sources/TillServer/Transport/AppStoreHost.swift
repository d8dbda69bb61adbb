import TillCore

/// The names under which clients know the App Store, and the realm behind each.
package enum AppStoreHost: String, CaseIterable, Sendable {
    case production = "api.storekit.apple.com"
    case sandbox = "api.storekit-sandbox.apple.com"
    case olderProduction = "api.storekit.itunes.apple.com"
    case olderSandbox = "api.storekit-sandbox.itunes.apple.com"
    case receipts = "buy.itunes.apple.com"
    case sandboxReceipts = "sandbox.itunes.apple.com"

    /// The realm that answers under this name.
    package var realm: Realm {
        switch self {
        case .production, .olderProduction, .receipts: .production
        case .sandbox, .olderSandbox, .sandboxReceipts: .sandbox
        }
    }
}

/// Which realm a name leads to, where one port serves both.
package struct HostTable: Sendable {
    private let realms: [String: Realm]
    /// Every name that leads to a realm, sorted.
    package var names: [String] { realms.keys.sorted() }

    /// - Parameter further: names that the operator added. With "sandbox" in it a name leads to the sandbox, otherwise
    ///   to production; a first label `*` stands for any.
    package init(further: [String] = []) {
        var realms: [String: Realm] = [:]
        for name in further {
            realms[name.lowercased()] = name.lowercased().contains("sandbox") ? .sandbox : .production
        }
        for host in AppStoreHost.allCases { realms[host.rawValue] = host.realm }
        self.realms = realms
    }

    /// The realm of a Host header or an `:authority`; nil when the name is none of these.
    package func realm(of authority: String?) -> Realm? {
        guard let name = authority.flatMap(RequestAuthority.init)?.name else { return nil }
        if let realm = realms[name] { return realm }
        return name.firstIndex(of: ".").flatMap { realms["*" + name[$0...]] }
    }
}

extension RequestAuthority {
    /// The host without a dot at its end.
    var name: String { host.hasSuffix(".") ? String(host.dropLast()) : host }
}
