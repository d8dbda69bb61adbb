import Crypto

/// The signing root, which clients trust, with its private key. It is self-signed with a P-384 key and valid from 2008
/// to 2100.
///
/// Till creates it at the first start and stores it in the data directory with mode 0600. All certificate chains of
/// signed data end at it.
/// See docs/api/signed-data.md.
package typealias RootAuthority = CertificateAuthority<SigningRoot>

/// The kind of ``RootAuthority``.
package enum SigningRoot: AuthorityKind {
    package typealias PrivateKey = P384.Signing.PrivateKey
    package static let part = ChainPart.root
    package static let keyPart = ChainPart.rootKey
    package static let title = "root"
}

extension CertificateAuthority<SigningRoot> {
    /// Creates a root with a new key.
    ///
    /// - Parameter name: the common name: 1 to 64 ASCII letters, digits, spaces, dots or hyphens. The organization is
    ///   always "Till".
    /// - Throws: ``SigningError`` if the name is invalid.
    package static func make(name: String = "Till Root CA") throws(SigningError) -> RootAuthority {
        guard name.isPlain(1...64, and: " .-") else {
            let rule = "1 to 64 ASCII letters, digits, spaces, dots and hyphens"
            throw SigningError(.unusableValue, .root, "cannot have this name: a name consists of \(rule)")
        }
        let key = P384.Signing.PrivateKey()
        return try RootAuthority(certificate: try CertificateProfile.root(name: name, key: key), privateKey: key)
    }
}
