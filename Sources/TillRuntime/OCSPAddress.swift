import Logging

/// The OCSP URL in certificates: the value of `--ocsp-url`, otherwise a URL with the production port of this server
/// (docs/api/ocsp.md).
struct OCSPAddress: Sendable {
    /// The value of `--ocsp-url`; nil if not set.
    let configured: String?
    /// The listen address of both environments.
    let host: String

    private static let standardPort = 8_888

    init(_ configuration: RuntimeConfiguration) {
        configured = configuration.ocspURL
        host = configuration.host
    }

    /// The URL in certificates that are issued now.
    ///
    /// - Parameter port: the production port; 0 if the system has not chosen it yet, which means the default port.
    func url(port: Int) -> String { configured ?? address(port == 0 ? Self.standardPort : port) }

    /// Logs a warning if this server does not answer at the OCSP URL in its certificates. A configured URL is not
    /// checked, because it may be the URL of a proxy.
    func check(certificates: String?, _ ports: Ports, _ logger: Logger) {
        let served = configured.map { [$0] } ?? [address(ports[.production]), address(ports[.sandbox])]
        guard let certificates, !served.contains(certificates) else { return }
        logger.warning(
            """
            This server does not answer at the OCSP URL in its certificates, so verifiers with online checks refuse \
            Till's signatures. Run till ca rotate, or start with --ocsp-url \(certificates) if that URL leads to \
            this server
            """,
            metadata: ["certificates": "\(certificates)", "served": "\(served[0])"]
        )
    }

    /// The URL with a port. It uses localhost if localhost reaches the server, because the address of the machine may
    /// change.
    private func address(_ port: Int) -> String {
        let isLocal = ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1"].contains(host)
        let name = isLocal ? "localhost" : host.contains(":") ? "[\(host)]" : host
        return "http://\(name):\(port)/ocsp"
    }
}
