import CryptoExtras

/// The root for receipts, with its private key. It is self-signed with a 2,048-bit RSA key and valid from 2008 to 2100.
///
/// Receipts need another root than ``RootAuthority``, because receipt verifiers only support RSA. Creating the key
/// takes a tenth of a second or more. See docs/api/receipts/app-receipts.md.
package typealias ReceiptAuthority = CertificateAuthority<ReceiptRoot>

/// The kind of ``ReceiptAuthority``.
package enum ReceiptRoot: AuthorityKind {
    package typealias PrivateKey = _RSA.Signing.PrivateKey
    package static let part = ChainPart.root
    package static let keyPart = ChainPart.rootKey
    package static let title = "receipt root"
}

extension CertificateAuthority<ReceiptRoot> {
    /// Creates a root with a new key.
    package static func make() throws(SigningError) -> ReceiptAuthority {
        let key = try RSAKeys.make(.rootKey)
        let certificate = try CertificateProfile.root(name: "Till Receipt Root CA", key: key)
        return try ReceiptAuthority(certificate: certificate, privateKey: key)
    }
}
