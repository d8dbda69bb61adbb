import NIOCore
import TillPostgres
import TillShop

/// The settings of a server. The defaults are those of `till serve`.
package struct RuntimeConfiguration: Sendable {
    /// The data directory; nil stores everything in memory and deletes it at the end.
    package var directory: DataDirectory?
    /// A database URL; nil for the SQLite database in the data directory.
    package var database: String?
    /// Whether to create the demo app with customers and past purchases, unless it exists.
    package var isDemo = false
    /// The settings of the shop.
    package var shop = Settings()
    /// The listen address of both environments.
    package var host = "127.0.0.1"
    /// The port of the production environment; 0 lets the system choose.
    package var productionPort = 8_888
    /// The port of the sandbox environment; 0 lets the system choose.
    package var sandboxPort = 8_889
    /// The listen address of the control API.
    package var controlAddress = "127.0.0.1"
    /// The port of the control API; 0 lets the system choose.
    package var controlPort = 8_890
    /// Additional host names for the control API.
    package var controlHosts: [String] = []
    /// The token for a control API that is not on loopback; nil uses the one in the data directory, or creates it.
    package var controlToken: String?
    /// The OCSP URL in new certificates; nil for the production port of this server.
    package var ocspURL: String?
    /// Nil without a TLS port and a proxy.
    package var secure: SecureConfiguration?
    /// This server among those that share a database.
    package var node = NodeConfiguration()
    /// The time within which a request must arrive completely.
    package var requestDeadline = TimeAmount.seconds(60)
    /// How long a stopping server still answers.
    package var drain = Duration.zero
    /// The time after which an orderly stop gives up on open requests; nil waits for them.
    package var stopLimit: Duration?

    /// - Parameter directory: nil stores everything in memory and deletes it at the end.
    package init(directory: DataDirectory?) {
        self.directory = directory
    }

    /// Refuses invalid settings before anything is created.
    ///
    /// - Throws: `RuntimeRefused`, and `PostgresRefused` for a database URL that cannot be parsed.
    package func check() throws {
        if let database {
            _ = try DatabaseURL(database)
            guard directory != nil else {
                throw RuntimeRefused("--ephemeral and --database exclude each other. Remove one.")
            }
        }
        if let name = node.name { try NodeConfiguration.check(name) }
        do {
            _ = try WebhookClient(extraRoots: shop.deliveryRoots)
        } catch {
            throw RuntimeRefused.deliveryRoots(error)
        }
    }

    /// The address of a listener.
    func host(of listener: ListenerKind) -> String {
        switch listener {
        case .production, .sandbox: host
        case .control: controlAddress
        case .tls, .proxy: secure?.host ?? host
        }
    }

    /// The wanted port of each listener of this server; 0 lets the system choose.
    var ports: [(listener: ListenerKind, port: Int)] {
        var ports = [(ListenerKind.production, productionPort), (.sandbox, sandboxPort), (.control, controlPort)]
        if let secure {
            ports.append((.tls, secure.port))
            if let port = secure.proxyPort { ports.append((.proxy, port)) }
        }
        return ports
    }

    /// Refuses unusable ports and addresses.
    func requirePorts() throws {
        let checks = ports.map { PortCheck(listener: $0.listener, host: host(of: $0.listener), port: $0.port) }
        for (index, check) in checks.enumerated() {
            if check.port > 0,
                let other = checks[..<index].first(where: { $0.port == check.port && $0.host == check.host })
            {
                throw RuntimeRefused(
                    "\(other.listener.flag) and \(check.listener.flag) are both \(check.port). Choose two ports."
                )
            }
            try check.requireFree()
        }
    }
}
