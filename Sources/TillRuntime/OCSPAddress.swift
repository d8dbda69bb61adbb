import Logging

/// The OCSP URL in certificates: the value of `--ocsp-url`, or the production port of this server
/// (docs/api/ocsp.md).
struct OCSPAddress: Sendable {
    /// The value of `--ocsp-url`.
    let configured: String?
    /// The host of both environments.
    let host: String

    private static let standardPort = 8_888

    init(_ configuration: RuntimeConfiguration) {
        configured = configuration.ocspURL
        host = configuration.host
    }

    /// The URL for certificates issued now.
    ///
    /// - Parameter port: the production port; 0 while the system has not chosen it, which means the default port.
    func url(port: Int) -> String { configured ?? address(port == 0 ? Self.standardPort : port) }

    /// Logs a warning when certificates have a URL at which this server does not answer. A configured URL is not
    /// checked, because it may belong to a proxy.
    func check(certificates: String?, _ ports: Ports, _ logger: Logger) {
        let served = configured.map { [$0] } ?? [address(ports[.production]), address(ports[.sandbox])]
        guard let certificates, !served.contains(certificates) else { return }
        logger.warning(
            """
            The certificates have a different OCSP URL than this server, so verifiers with online checks refuse \
            Till's signatures. Run till ca rotate, or start with --ocsp-url \(certificates) if that URL leads to \
            this server
            """,
            metadata: ["certificates": "\(certificates)", "served": "\(served[0])"]
        )
    }

    /// Certificates use localhost if that reaches the server, because the server's own address may change.
    private func address(_ port: Int) -> String {
        let isLocal = ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1"].contains(host)
        let name = isLocal ? "localhost" : host.contains(":") ? "[\(host)]" : host
        return "http://\(name):\(port)/ocsp"
    }
}
