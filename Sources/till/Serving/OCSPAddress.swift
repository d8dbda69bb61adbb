import Logging

/// Where verifiers ask whether certificates are revoked: what `--ocsp-url` says, else the production port of this
/// server (docs/api/ocsp.md).
struct OCSPAddress: Sendable {
    /// What `--ocsp-url` says.
    let configured: String?
    /// Where both environments listen.
    let host: String

    private static let standardPort = 8_888

    /// The address for certificates that are issued now.
    ///
    /// - Parameter port: the production port; 0 when the system has not chosen it yet, then the standard one is taken.
    func url(port: Int) -> String { configured ?? address(port == 0 ? Self.standardPort : port) }

    /// Logs a warning when certificates carry an address at which this server does not answer. Nothing is known of an
    /// address that was configured: it may be that of a proxy, and is taken as served.
    func check(certificates: String?, _ ports: Ports, _ logger: Logger) {
        let served = configured.map { [$0] } ?? [address(ports[.production]), address(ports[.sandbox])]
        guard let certificates, !served.contains(certificates) else { return }
        logger.warning(
            """
            The certificates carry another OCSP address than the one that is served, so verifiers with online checks \
            refuse what Till signs. Run till ca rotate, or start with --ocsp-url \(certificates) if that address leads \
            here
            """,
            metadata: ["certificates": "\(certificates)", "served": "\(served[0])"]
        )
    }

    /// Certificates say localhost where that reaches the server, because the server's own address may change.
    private func address(_ port: Int) -> String {
        let isLocal = ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1"].contains(host)
        let name = isLocal ? "localhost" : host.contains(":") ? "[\(host)]" : host
        return "http://\(name):\(port)/ocsp"
    }
}
