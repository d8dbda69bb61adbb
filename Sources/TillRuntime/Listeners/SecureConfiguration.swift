import TillServer
import TillSigning

/// The settings for TLS under the App Store's host names (docs/operating/hosts.md). No certificate is needed to create
/// them.
package struct SecureConfiguration: Sendable {
    /// The address on which the TLS port and the proxy listen.
    package let host: String
    /// The TLS port; 0 lets the system choose.
    package let port: Int
    /// The proxy's port; nil without a proxy.
    package let proxyPort: Int?
    let hosts: HostTable
    let names: [TLSName]

    /// - Parameter names: additional host names. A name that contains "sandbox" selects the sandbox.
    /// - Throws: `RuntimeRefused` for a name that is neither a host name nor an IP address.
    package init(host: String, port: Int, proxyPort: Int?, names further: [String]) throws {
        self.host = host
        self.port = port
        self.proxyPort = proxyPort
        hosts = HostTable(further: further)
        names = try (AppStoreHost.allCases.map(\.rawValue) + ["localhost", "127.0.0.1", "::1"] + further).map { text in
            guard let name = TLSName(text) else {
                throw RuntimeRefused("--tls-name \(text) is neither a host name nor an IP address.")
            }
            return name
        }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}
