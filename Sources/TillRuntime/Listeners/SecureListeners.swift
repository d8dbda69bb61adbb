import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import TillCore
import TillServer
import TillShop
import TillSigning

/// The TLS listener for the App Store's host names, and the proxy that forwards to it.
package struct SecureListeners: Sendable {
    /// The files with the certificates and keys.
    package let files: TLSFiles
    private let configuration: SecureConfiguration
    private let authority: TLSAuthority
    private let identity: TLSIdentity

    /// Opens the certificates in the data directory, and creates them if necessary.
    init(_ configuration: SecureConfiguration, _ directory: DataDirectory) throws {
        self.configuration = configuration
        files = directory.tls
        let store = TLSStore(directory, now: Date())
        authority = try store.authority()
        identity = try store.identity(under: authority, names: configuration.names)
        try store.writeBundle(authority)
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

    /// The services of the listeners. The proxy comes first, because services stop in reverse order and the proxy must
    /// stop after the TLS listener.
    func services(
        _ limits: ConnectionLimits,
        _ logger: Logger,
        _ ports: Ports,
        router: (StoreEnvironment) -> Router<APIContext>,
        running: @escaping @Sendable (ListenerKind, Int) async -> Void
    ) throws -> [NamedListener] {
        let host = configuration.host
        let listener = try Listener(host: host, port: configuration.port, limits: limits).secureApplication(
            HostResponder(hosts: configuration.hosts, router: router),
            identity: identity,
            logger: logger
        ) { await running(.tls, $0) }
        let secure = NamedListener(service: listener, listener: .tls, port: configuration.port)
        guard let proxyPort = configuration.proxyPort else { return [secure] }
        let target = Self.near(host)
        let proxy = ConnectProxy(host: host, port: proxyPort, limits: limits, logger: logger) {
            try SocketAddress.makeAddressResolvingHost(target, port: ports[.tls])
        }
        let service = ProxyService(proxy: proxy) { await running(.proxy, $0) }
        return [NamedListener(service: service, listener: .proxy, port: proxyPort), secure]
    }

    /// The address at which programs on this machine reach a listener: loopback if the listener has a wildcard address.
    package static func near(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }
}
