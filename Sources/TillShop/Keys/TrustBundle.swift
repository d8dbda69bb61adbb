import Foundation

/// The certificate authorities that this machine trusts and Till's root, as one PEM file.
package enum TrustBundle {
    /// The files of the operating systems: Debian and Alpine, Fedora (two files), SUSE, OpenSSL.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Appends the root to the certificate authorities of a file.
    ///
    /// - Parameters:
    ///   - root: the root certificate to add, as PEM.
    ///   - file: the file with the other authorities; nil for the system's file, if there is one.
    package static func text(with root: String, behind file: String? = nil) -> String {
        let files = file.map { [$0] } ?? systemFiles
        let trusted = files.lazy.compactMap { try? DataDirectory.read($0) }.first ?? ""
        return trusted + (trusted.isEmpty || trusted.hasSuffix("\n") ? "" : "\n") + root
    }
}
