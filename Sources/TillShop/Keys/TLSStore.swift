import Foundation
import TillSigning

/// The TLS certificates in a data directory. The root is created once; the server's certificate is renewed at a start
/// of the server if necessary.
package struct TLSStore: Sendable {
    private let directory: DataDirectory
    private let now: Date

    /// - Parameter now: real time, for the validity of the certificates.
    package init(_ directory: DataDirectory, now: Date) {
        self.directory = directory
        self.now = now
    }

    /// Reads the root, or creates it if it is missing.
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
        // The key is written first, because a certificate without its key would prevent creating a new pair.
        try DataDirectory.write(authority.privateKeyPEM.exposed, to: files.rootKey)
        try DataDirectory.write(authority.certificatePEM, to: files.root)
        return authority
    }

    /// Reads the server's certificate, or issues a new certificate if the existing one is not usable any more.
    package func identity(under authority: TLSAuthority, names: [TLSName]) throws -> TLSIdentity {
        let files = directory.tls
        if let kept = try? TLSIdentity(
            certificatesPEM: DataDirectory.read(files.server),
            privateKeyPEM: Secret(DataDirectory.read(files.serverKey))
        ), kept.isFit(for: names, under: authority, now: now) {
            return kept
        }
        let issued = try authority.issue(names: names, now: now)
        // After a crash between the two writes the key does not match the certificate, so the next start issues both
        // again.
        try DataDirectory.write(issued.privateKeyPEM.exposed, to: files.serverKey)
        try DataDirectory.write(issued.certificatesPEM, to: files.server)
        return issued
    }

    /// Writes two files, each with the system's certificate authorities and the root: a PEM file, and a trust store for
    /// Java.
    package func writeBundle(_ authority: TLSAuthority) throws {
        try DataDirectory.write(TrustBundle.text(with: authority.certificatePEM), to: directory.tls.bundle)
        try DataDirectory.write(
            JavaTrust.store(with: authority.certificatePEM, environment: ProcessInfo.processInfo.environment),
            to: directory.tls.javaTrustStore
        )
    }
}
