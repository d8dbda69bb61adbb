import Crypto
import CryptoExtras
import SwiftASN1
import X509

/// The root for receipts, with its private key. It is self-signed with a 2,048-bit RSA key and valid from 2008 to 2100.
///
/// Receipts need another root than ``RootAuthority``, because receipt verifiers only support RSA. Creating the key
/// takes a tenth of a second or more. See docs/api/receipts/app-receipts.md.
package struct ReceiptAuthority: Sendable, CustomStringConvertible {
    let certificate: Certificate
    let privateKey: _RSA.Signing.PrivateKey

    /// The certificate as DER, for the list of trusted roots in a receipt verifier.
    package let certificateDER: [UInt8]

    /// Creates a root with a new key.
    package static func make() throws(SigningError) -> ReceiptAuthority {
        let key = try RSAKeys.make(.rootKey)
        let certificate = try SigningError.wrapping(.cryptography, .root, "could not be created") {
            try ReceiptCertificates.root(name: "Till Receipt Root CA", key: key)
        }
        return try ReceiptAuthority(certificate: certificate, privateKey: key)
    }

    /// Reads a root from the text of ``certificatePEM`` and ``privateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable`; `mismatchedKey` if the key belongs to another
    ///   certificate; `brokenChain` if the certificate is not a self-signed root.
    package init(certificatePEM: String, privateKeyPEM: Secret) throws(SigningError) {
        let document = try CertificateText.document(certificatePEM, .root)
        try self.init(
            certificate: try CertificateText.certificate(document, .root),
            privateKey: try RSAKeys.key(privateKeyPEM, .rootKey)
        )
    }

    private init(certificate: Certificate, privateKey: _RSA.Signing.PrivateKey) throws(SigningError) {
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
    package var privateKeyPEM: Secret { RSAKeys.pem(of: privateKey) }

    /// The SHA-256 hash of ``certificateDER`` in 64 lower-case hexadecimal digits, for comparing roots.
    package var fingerprint: String { Hexadecimal.text(SHA256.hash(data: certificateDER)) }

    package var description: String { "receipt root \(certificate.subject), fingerprint \(fingerprint)" }
}
