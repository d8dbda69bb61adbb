import ArgumentParser
import TillRuntime

/// The options for serving under the App Store's host names (docs/operating/hosts.md).
struct SecureOptions: ParsableArguments {
    @Option(help: "A port for HTTPS; the requested host name selects the environment (default: none).")
    var tlsPort: Int?
    @Option(help: "The address of the TLS port and the proxy (default: the address of --host).")
    var tlsHost: String?
    @Option(help: "An additional TLS name; a name with \"sandbox\" selects the sandbox. May be repeated.")
    var tlsName: [String] = []
    @Option(help: "A port for HTTPS_PROXY, which redirects the App Store's names to the TLS port (default: none).")
    var proxyPort: Int?

    /// Nil when neither port was requested.
    ///
    /// - Parameter host: the address of both environments.
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
