import Foundation
import TillControl
import TillShop

/// What clients need to reach the server over TLS under the App Store's host names.
package struct SecurityFacts: Sendable {
    /// The address on which the TLS port and the proxy listen.
    package var host: String
    /// The TLS port; 0 until it listens.
    package var port: @Sendable () -> Int
    /// The proxy's port; 0 without a proxy.
    package var proxyPort: @Sendable () -> Int
    /// The host names in the server's certificate.
    package var names: [String]
    /// The root certificate of TLS, PEM.
    package var rootCertificate: String
    /// The SHA-256 fingerprint of the root certificate, hexadecimal.
    package var rootFingerprint: String
    /// The end of validity of the server's certificate.
    package var notValidAfter: Date
    /// The files for clients on the server's machine.
    package var files: TLSFiles

    /// Collects the facts for `GET /v1/status`.
    package init(
        host: String,
        port: @escaping @Sendable () -> Int,
        proxyPort: @escaping @Sendable () -> Int,
        names: [String],
        rootCertificate: String,
        rootFingerprint: String,
        notValidAfter: Date,
        files: TLSFiles
    ) {
        self.host = host
        self.port = port
        self.proxyPort = proxyPort
        self.names = names
        self.rootCertificate = rootCertificate
        self.rootFingerprint = rootFingerprint
        self.notValidAfter = notValidAfter
        self.files = files
    }
}

extension SecurityFacts {
    /// The proxy's port; nil without a proxy.
    var openProxyPort: Int? { proxyPort() == 0 ? nil : proxyPort() }
}

extension TLSInfo {
    init(_ facts: SecurityFacts) {
        self.init(
            address: facts.host,
            port: facts.port(),
            proxyPort: facts.openProxyPort,
            names: facts.names,
            rootCertificate: facts.rootCertificate,
            rootFingerprint: facts.rootFingerprint,
            rootFile: facts.files.root,
            bundleFile: facts.files.bundle,
            javaTrustStoreFile: facts.files.javaTrustStore,
            serverCertificateEndDate: Timestamp(
                milliseconds: Int64(facts.notValidAfter.timeIntervalSince1970 * 1_000)
            )
        )
    }
}
