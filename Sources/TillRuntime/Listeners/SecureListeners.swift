import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import TillCore
import TillServer
import TillShop
import TillSigning

/// TLS under the App Store's names, and the proxy to it.
package struct SecureListeners: Sendable {
    /// The files with certificates and keys.
    package let files: TLSFiles
    private let configuration: SecureConfiguration
    private let authority: TLSAuthority
    private let identity: TLSIdentity

    /// Creates the certificates in the data directory if needed.
    init(_ configuration: SecureConfiguration, _ directory: DataDirectory) throws {
        self.configuration = configuration
        files = directory.tls
        let store = TLSStore(directory, now: Date())
        authority = try store.authority()
        identity = try store.identity(under: authority, names: configuration.names)
        try store.writeBundle(authority)
    }

    /// The URL of a listener; nil for one that is off.
    package func address(_ listener: ListenerKind, _ ports: Ports) -> String? {
        guard listener == .tls || listener == .proxy && configuration.proxyPort != nil else { return nil }
        let scheme = listener == .tls ? "https" : "http"
        let host = configuration.host
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(ports[listener])"
    }

    func facts(_ ports: Ports) -> SecurityFacts {
        SecurityFacts(
            host: configuration.host,
            port: { ports[.tls] },
            proxyPort: { ports[.proxy] },
            names: configuration.names.map(\.text),
            rootCertificate: authority.certificatePEM,
            rootFingerprint: authority.fingerprint,
            notValidAfter: identity.notValidAfter,
            files: files
        )
    }

    /// The proxy comes before the TLS listener, so that it stops after it.
    func services(
        _ limits: ConnectionLimits,
        _ logger: Logger,
        _ ports: Ports,
        router: (StoreEnvironment) -> Router<APIContext>,
        running: @escaping @Sendable (ListenerKind, Int) async -> Void
    ) throws -> [any Service] {
        let host = configuration.host
        let listener = try Listener(host: host, port: configuration.port, limits: limits).secureApplication(
            HostResponder(hosts: configuration.hosts, router: router),
            identity: identity,
            logger: logger
        ) { await running(.tls, $0) }
        let secure = NamedListener(listener, .tls, port: configuration.port)
        guard let proxyPort = configuration.proxyPort else { return [secure] }
        let target = Self.near(host)
        let proxy = ConnectProxy(host: host, port: proxyPort, limits: limits, logger: logger) {
            try SocketAddress.makeAddressResolvingHost(target, port: ports[.tls])
        }
        let service = ProxyService(proxy: proxy) { await running(.proxy, $0) }
        return [NamedListener(service, .proxy, port: proxyPort), secure]
    }

    /// The address with which this machine reaches a listener: loopback for a wildcard address.
    package static func near(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }
}
