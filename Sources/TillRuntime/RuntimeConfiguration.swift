import Foundation
import NIOCore
import TillCore
import TillPostgres
import TillShop

/// The configuration of a server. The default values are those of `till serve`.
package struct RuntimeConfiguration: Sendable {
    /// The data directory; nil for a server that keeps all data in memory and deletes it at the end.
    package var directory: DataDirectory?
    /// The URL of a PostgreSQL database; nil for the SQLite database in the data directory.
    package var database: String?
    /// Whether to create the demo app with customers and past purchases, if it does not exist.
    package var isDemo = false
    /// The settings of the shop.
    package var shop = Settings()
    /// The address on which both environments listen.
    package var host = "127.0.0.1"
    /// The port of the production environment; 0 lets the system choose.
    package var productionPort = 8_888
    /// The port of the sandbox environment; 0 lets the system choose.
    package var sandboxPort = 8_889
    /// The address on which the control API listens.
    package var controlAddress = "127.0.0.1"
    /// The port of the control API; 0 lets the system choose.
    package var controlPort = 8_890
    /// Additional host names that the control API accepts.
    package var controlHosts: [String] = []
    /// The administrator's token for a control API that is not on loopback; nil for the token in the data directory,
    /// which the server creates if necessary.
    package var controlToken: String?
    /// The OCSP URL in new certificates; nil for a URL with the production port of this server.
    package var ocspURL: String?
    /// The settings of TLS and the proxy; nil if both are off.
    package var secure: SecureConfiguration?
    /// The settings of this server as one of several servers on a database.
    package var node = NodeConfiguration()
    /// The time in which a request must arrive completely.
    package var requestDeadline = TimeAmount.seconds(60)
    /// How long a stopping server still answers requests.
    package var drain = Duration.zero
    /// The time after which a stopping server no longer waits for open requests; nil waits without limit.
    package var stopLimit: Duration?
    /// Returns real time.
    package var wallClock: @Sendable () -> Timestamp = {
        Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }

    /// - Parameter directory: the data directory; nil keeps all data in memory and deletes it at the end.
    package init(directory: DataDirectory?) {
        self.directory = directory
    }

    /// Refuses invalid settings, before the server creates anything.
    ///
    /// - Throws: `RuntimeRefused`, and `PostgresRefused` for a database URL that cannot be parsed.
    package func check() throws {
        if let database {
            _ = try DatabaseURL(database)
            guard directory != nil else {
                throw RuntimeRefused("--ephemeral and --database cannot be combined. Remove one.")
            }
        }
        if let name = node.name { try NodeConfiguration.check(name) }
        do {
            _ = try WebhookClient(extraRoots: shop.deliveryRoots)
        } catch {
            throw RuntimeRefused.deliveryRoots(error)
        }
    }

    /// The address on which a listener of this server listens.
    func host(of listener: ListenerKind) -> String {
        switch listener {
        case .production, .sandbox: host
        case .control: controlAddress
        case .tls, .proxy: secure?.host ?? host
        }
    }

    /// The URL of a listener.
    ///
    /// - Parameter isNear: whether it is for programs on this machine, which reach a wildcard address on loopback.
    package func url(of listener: ListenerKind, _ ports: Ports, isNear: Bool = false) -> String {
        let host = isNear ? SecureListeners.near(host(of: listener)) : host(of: listener)
        let scheme = listener == .tls ? "https" : "http"
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(ports[listener])"
    }

    /// The configured port of each listener of this server; 0 lets the system choose.
    var ports: [(listener: ListenerKind, port: Int)] {
        var ports = [(ListenerKind.production, productionPort), (.sandbox, sandboxPort), (.control, controlPort)]
        if let secure {
            ports.append((.tls, secure.port))
            if let port = secure.proxyPort { ports.append((.proxy, port)) }
        }
        return ports
    }

    /// Refuses ports and addresses that cannot be used.
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
