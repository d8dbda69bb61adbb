import ArgumentParser
import TillRuntime

/// The options for TLS under the App Store's host names (docs/operating/hosts.md).
struct SecureOptions: ParsableArguments {
    @Option(help: "The port for HTTPS, where the host name selects the environment (default: none).")
    var tlsPort: Int?
    @Option(help: "The listen address of the TLS port and the proxy (default: that of --host).")
    var tlsHost: String?
    @Option(help: "An additional host name; a name with \"sandbox\" selects the sandbox. May be repeated.")
    var tlsName: [String] = []
    @Option(help: "The port of a proxy for HTTPS_PROXY, which forwards the App Store's names to Till (default: none).")
    var proxyPort: Int?

    /// The settings of TLS and the proxy; nil if both are off.
    ///
    /// - Parameter host: the listen address of both environments.
    func configuration(_ source: SettingsSource, host: String) throws -> SecureConfiguration? {
        let port = try source.number(tlsPort, "tlsPort", in: 0...65_535)
        let proxyPort = try source.number(proxyPort, "proxyPort", in: 0...65_535)
        guard port != nil || proxyPort != nil else { return nil }
        return try SecureConfiguration(
            host: source.text(tlsHost, "tlsHost") ?? host,
            port: port ?? 0,
            proxyPort: proxyPort,
            names: source.texts(tlsName, "tlsName")
        )
    }
}
