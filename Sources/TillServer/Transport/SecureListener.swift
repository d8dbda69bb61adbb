import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
import Logging
import NIOCore
import NIOSSL
import TillSigning

extension Listener {
    /// Creates an application that serves TLS 1.2 and later, with HTTP/2 and HTTP/1.1.
    ///
    /// - Parameters:
    ///   - identity: the server certificate and its private key.
    ///   - running: receives the port once the application accepts connections.
    package func secureApplication<Responder: HTTPResponder>(
        _ responder: Responder,
        identity: TLSIdentity,
        logger: Logger,
        running: @escaping @Sendable (Int) async -> Void
    ) throws -> Application<Responder>
    where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatesPEM.utf8))
                .map { .certificate($0) },
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(identity.privateKeyPEM.exposed.utf8), format: .pem)
            )
        )
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["h2", "http/1.1"]
        let context = try NIOSSLContext(configuration: tls)
        let limits = limits
        return Application(
            responder: responder,
            server: server { SecureChannel(context: context, limits: limits, responder: $0) },
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in await running(channel.localAddress?.port ?? 0) },
            logger: logger
        )
    }
}
