import ArgumentParser
import Foundation
import Hummingbird
import Logging
import NIOCore
import ServiceLifecycle
import TillCore
import TillServer
import TillShop
import TillSigning

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
}

/// The TLS settings, before any certificate is created.
struct SecurePlan: Sendable {
    /// The address on which TLS and the proxy listen.
    let host: String
    /// 0 lets the system choose.
    let port: Int
    /// Nil without a proxy.
    let proxyPort: Int?
    fileprivate let hosts: HostTable
    fileprivate let names: [TLSName]

    /// Nil when neither port was requested.
    init?(_ options: SecureOptions, _ source: SettingsSource, host: String) throws {
        let port = try source.number(options.tlsPort, "tlsPort", in: 0...65_535)
        proxyPort = try source.number(options.proxyPort, "proxyPort", in: 0...65_535)
        let further = source.texts(options.tlsName, "tlsName")
        self.host = source.text(options.tlsHost, "tlsHost") ?? host
        guard port != nil || proxyPort != nil else { return nil }
        self.port = port ?? 0
        hosts = HostTable(further: further)
        names = try (AppStoreHost.allCases.map(\.rawValue) + ["localhost", "127.0.0.1", "::1"] + further).map { text in
            guard let name = TLSName(text) else {
                throw CommandRefused("--tls-name \(text) is neither a host name nor an IP address.")
            }
            return name
        }.reduce(into: []) { names, name in
            if !names.contains(name) { names.append(name) }
        }
    }
}

/// TLS under the App Store's names, and the proxy to it.
struct SecureListeners: Sendable {
    let files: TLSFiles
    private let plan: SecurePlan
    private let authority: TLSAuthority
    private let identity: TLSIdentity

    /// Creates the certificates in the data directory if needed.
    init(_ plan: SecurePlan, _ directory: DataDirectory) throws {
        self.plan = plan
        files = directory.tls
        let store = TLSStore(directory, now: Date())
        authority = try store.authority()
        identity = try store.identity(under: authority, names: plan.names)
        try store.writeBundle(authority)
    }

    /// The address on which both listen.
    var host: String { plan.host }

    /// The listeners that this adds to a server.
    var faces: [Ports.Face] { plan.proxyPort == nil ? [.tls] : [.tls, .proxy] }

    /// The URL of a listener; nil for one that is off.
    func address(_ face: Ports.Face, _ ports: Ports) -> String? {
        guard faces.contains(face) else { return nil }
        let scheme = face == .tls ? "https" : "http"
        return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(ports[face])"
    }

    func facts(_ ports: Ports) -> SecurityFacts {
        SecurityFacts(
            host: host,
            port: { ports[.tls] },
            proxyPort: { ports[.proxy] },
            names: plan.names.map(\.text),
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
        running: @escaping @Sendable (Ports.Face, Int) async -> Void
    ) throws -> [any Service] {
        let listener = try Listener(host: host, port: plan.port, limits: limits).secureApplication(
            HostResponder(hosts: plan.hosts, router: router),
            identity: identity,
            logger: logger
        ) { await running(.tls, $0) }
        let secure = NamedListener(listener, flag: "--tls-port", port: plan.port)
        guard let proxyPort = plan.proxyPort else { return [secure] }
        let target = Self.near(host)
        let proxy = ConnectProxy(host: host, port: proxyPort, limits: limits, logger: logger) {
            try SocketAddress.makeAddressResolvingHost(target, port: ports[.tls])
        }
        let service = ProxyService(proxy: proxy) { await running(.proxy, $0) }
        return [NamedListener(service, flag: "--proxy-port", port: proxyPort), secure]
    }

    /// The address with which this machine reaches a listener: loopback for a wildcard address.
    static func near(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::": "::1"
        default: host
        }
    }
}

private struct ProxyService: Service {
    let proxy: ConnectProxy
    let running: @Sendable (Int) async -> Void

    func run() async throws {
        do {
            try await cancelWhenGracefulShutdown { try await proxy.run(running: running) }
        } catch is CancellationError {
            return
        }
    }
}
