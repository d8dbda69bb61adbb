import Crypto
import X509

/// The signing root, which clients trust, with its private key. It is self-signed with a P-384 key and valid from 2008
/// to 2100.
///
/// Till creates it once, at the first start, and stores it in the data directory. All signed payloads have certificate
/// chains under this root. See docs/api/signed-data.md.
package struct RootAuthority: Sendable, CustomStringConvertible {
    let certificate: Certificate
    let privateKey: P384.Signing.PrivateKey

    /// The certificate as DER, for the list of trusted roots in a client library.
    package let certificateDER: [UInt8]

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

    /// Reads a root from the text of ``certificatePEM`` and ``privateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable`; `mismatchedKey` if the key belongs to another
    ///   certificate; `brokenChain` if the certificate is not a self-signed root.
    package init(certificatePEM: String, privateKeyPEM: Secret) throws(SigningError) {
        let document = try CertificateText.document(certificatePEM, .root)
        try self.init(
            certificate: try CertificateText.certificate(document, .root),
            privateKey: try CertificateText.p384(privateKeyPEM, .rootKey)
        )
    }

    private init(certificate: Certificate, privateKey: P384.Signing.PrivateKey) throws(SigningError) {
        guard certificate.publicKey == Certificate.PublicKey(privateKey.publicKey) else {
            throw SigningError(.mismatchedKey, .rootKey, "does not match the root certificate")
        }
        if let problem = ChainInspection.problems(ofRoot: certificate).first {
            throw SigningError(.brokenChain, problem.part, problem.reason)
        }
        self.certificate = certificate
        self.privateKey = privateKey
        certificateDER = try CertificateText.der(of: certificate, .root)
    }

    /// The certificate as one PEM block.
    package var certificatePEM: String { CertificateText.pem(of: certificateDER) }

    /// The private key as PEM (PKCS#8).
    package var privateKeyPEM: Secret { Secret(privateKey.pemRepresentation + "\n") }

    /// The SHA-256 hash of ``certificateDER`` in 64 lower-case hexadecimal digits, for comparing roots.
    package var fingerprint: String { Hexadecimal.text(SHA256.hash(data: certificateDER)) }

    package var description: String { "root \(certificate.subject), fingerprint \(fingerprint)" }

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
