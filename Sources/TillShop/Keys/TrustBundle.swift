import Foundation

/// The certificate authorities that this machine trusts, as one PEM file, with one added.
package enum TrustBundle {
    /// The systems' files: Debian and Alpine, Fedora, SUSE, OpenSSL.
    package static let systemFiles = [
        "/etc/ssl/certs/ca-certificates.crt",
        "/etc/pki/tls/certs/ca-bundle.crt",
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
        "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// The bundle.
    ///
    /// - Parameters:
    ///   - root: the added authority, PEM.
    ///   - file: the other authorities; nil is the system's file, if there is one.
    package static func text(with root: String, behind file: String? = nil) -> String {
        let files = file.map { [$0] } ?? systemFiles
        let trusted = files.lazy.compactMap { try? DataDirectory.read($0) }.first ?? ""
        return trusted + (trusted.isEmpty || trusted.hasSuffix("\n") ? "" : "\n") + root
    }
}
