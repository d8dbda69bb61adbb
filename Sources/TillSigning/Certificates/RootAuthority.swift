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
        guard isUsable(name) else {
            let rule = "1 to 64 ASCII letters, digits, spaces, dots and hyphens"
            throw SigningError(.unusableValue, .root, "cannot have this name: a name consists of \(rule)")
        }
        let key = P384.Signing.PrivateKey()
        let certificate = try SigningError.wrapping(.cryptography, .root, "could not be created") {
            try CertificateProfile.root(name: name, key: key)
        }
        return try RootAuthority(certificate: certificate, privateKey: key)
    }

    private static func isUsable(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default:
                    false
                }
            }
    }
}
