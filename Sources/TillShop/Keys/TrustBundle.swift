import Foundation

/// The authorities that this machine trusts, as one PEM file, with one more behind them.
package enum TrustBundle {
    /// Where systems keep the file: Debian and Alpine, Fedora, SUSE, OpenSSL's own place.
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
    ///   - root: the authority that is added, PEM.
    ///   - file: what is trusted otherwise; nil takes the system's, and nothing where there is none.
    package static func text(with root: String, behind file: String? = nil) -> String {
        let files = file.map { [$0] } ?? systemFiles
        let trusted = files.lazy.compactMap { try? DataDirectory.read($0) }.first ?? ""
        return trusted + (trusted.isEmpty || trusted.hasSuffix("\n") ? "" : "\n") + root
    }
}
