/// The kinds of listeners that a server can have.
package enum ListenerKind: String, CaseIterable, Sendable {
    /// The App Store Server API of the production environment.
    case production
    /// The App Store Server API of the sandbox environment.
    case sandbox
    /// The control API and the console.
    case control
    /// TLS for both environments, under the App Store's host names.
    case tls
    /// The HTTP CONNECT proxy to the TLS port.
    case proxy

    /// The flag of `till serve` that sets the port.
    var flag: String { "--\(rawValue)-port" }

    /// The flag of `till serve` that sets the address.
    var hostFlag: String {
        switch self {
        case .production, .sandbox: "--host"
        case .control: "--control-address"
        case .tls, .proxy: "--tls-host"
        }
    }
}
