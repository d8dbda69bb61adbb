/// The listeners of a server.
package enum ListenerKind: String, CaseIterable, Sendable {
    /// Apple's API for the production environment.
    case production
    /// Apple's API for the sandbox environment.
    case sandbox
    /// The control API and the console.
    case control
    /// Both environments under the App Store's host names, with TLS.
    case tls
    /// The proxy to the TLS port.
    case proxy

    /// The flag of `till serve` for the port.
    var flag: String { "--\(rawValue)-port" }

    /// The flag of `till serve` for the address.
    var hostFlag: String {
        switch self {
        case .production, .sandbox: "--host"
        case .control: "--control-address"
        case .tls, .proxy: "--tls-host"
        }
    }
}
