import Foundation
import TillSigning

/// The TLS certificates in a data directory: the root made once, the server's renewed at a start when it must be.
package struct TLSStore: Sendable {
    private let directory: DataDirectory
    private let now: Date

    /// - Parameter now: the wall clock, which bounds these certificates.
    package init(_ directory: DataDirectory, now: Date) {
        self.directory = directory
        self.now = now
    }

    /// The root, made the first time.
    package func authority() throws -> TLSAuthority {
        let files = directory.tls
        if FileManager.default.fileExists(atPath: files.root) {
            return try TLSAuthority(
                certificatePEM: DataDirectory.read(files.root),
                privateKeyPEM: Secret(DataDirectory.read(files.rootKey))
            )
        }
        let authority = try TLSAuthority.make(now: now)
        try DataDirectory.makeFolder(files.folder)
        // The key first: a certificate without its key would never be made again.
        try DataDirectory.write(authority.privateKeyPEM.exposed, to: files.rootKey)
        try DataDirectory.write(authority.certificatePEM, to: files.root)
        return authority
    }

    /// The server's certificate: the one that is there if it can serve on, or else a new one.
    package func identity(under authority: TLSAuthority, names: [TLSName]) throws -> TLSIdentity {
        let files = directory.tls
        if let kept = try? TLSIdentity(
            certificatesPEM: DataDirectory.read(files.server),
            privateKeyPEM: Secret(DataDirectory.read(files.serverKey))
        ), kept.isFit(for: names, under: authority, now: now) {
            return kept
        }
        let issued = try authority.issue(names: names, now: now)
        // A crash between the two leaves a key that does not fit, and the next start issues again.
        try DataDirectory.write(issued.privateKeyPEM.exposed, to: files.serverKey)
        try DataDirectory.write(issued.certificatesPEM, to: files.server)
        return issued
    }

    /// Writes what this machine trusts and the root behind it, for clients that take one file of authorities: as PEM,
    /// and as a trust store for Java.
    package func writeBundle(_ authority: TLSAuthority) throws {
        try DataDirectory.write(TrustBundle.text(with: authority.certificatePEM), to: directory.tls.bundle)
        try DataDirectory.write(
            JavaTrust.store(with: authority.certificatePEM, environment: ProcessInfo.processInfo.environment),
            to: directory.tls.javaTrustStore
        )
    }
}
