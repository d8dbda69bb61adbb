import NIOSSL
import Synchronization

/// The TLS settings of deliveries. The first connection over TLS reads the certificates of the system: reading them
/// takes a tenth of the time of a start, and many servers make no such connection.
final class WebhookTLS: Sendable {
    private let extraRoots: [NIOSSLCertificate]
    private let made = Mutex<NIOSSLContext?>(nil)

    /// - Parameter extraRoots: paths of PEM files with root certificates that are trusted in addition to those of the
    ///   system.
    /// - Throws: an error if a file cannot be read.
    init(extraRoots: [String]) throws {
        self.extraRoots = try extraRoots.flatMap { try NIOSSLCertificate.fromPEMFile($0) }
    }

    func context() throws -> NIOSSLContext {
        try made.withLock { made in
            if let made { return made }
            let context = try make()
            made = context
            return context
        }
    }

    private func make() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        configuration.trustRoots = .default
        configuration.additionalTrustRoots = [.certificates(extraRoots)]
        if let context = try? NIOSSLContext(configuration: configuration) { return context }
        // The system has no certificates, as in a minimal container. Endpoints without TLS, and those that `extraRoots`
        // verify, do not need them.
        configuration.trustRoots = .certificates([])
        return try NIOSSLContext(configuration: configuration)
    }
}
