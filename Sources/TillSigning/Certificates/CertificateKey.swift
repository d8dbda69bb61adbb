import Crypto
import CryptoExtras
import X509

/// A private key of a certificate, in any of the algorithms that Till uses.
package protocol CertificateKey: Sendable {
    /// The algorithm of the signatures that the key makes on certificates.
    static var signature: Certificate.SignatureAlgorithm { get }
    /// The kind of key, for errors.
    static var kind: String { get }

    /// Reads a key from PEM.
    init(pemRepresentation: String) throws

    /// The key as PEM (PKCS#8), with a line feed at its end.
    var pem: Secret { get }
    /// The key that signs certificates.
    var signing: Certificate.PrivateKey { get }
    /// The public key.
    var verification: Certificate.PublicKey { get }
}

extension CertificateKey {
    /// Reads a key from PEM.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable` and the name of the key.
    package init(pem: Secret, _ part: ChainPart) throws(SigningError) {
        self = try SigningError.wrapping(.unreadable, part, "is not \(Self.kind) in PEM") {
            try Self(pemRepresentation: pem.exposed)
        }
    }
}

extension P384.Signing.PrivateKey: CertificateKey {
    package static var signature: Certificate.SignatureAlgorithm { .ecdsaWithSHA384 }
    package static var kind: String { "a P-384 private key" }
    package var pem: Secret { Secret(pemRepresentation + "\n") }
    package var signing: Certificate.PrivateKey { Certificate.PrivateKey(self) }
    package var verification: Certificate.PublicKey { Certificate.PublicKey(publicKey) }
}

extension P256.Signing.PrivateKey: CertificateKey {
    package static var signature: Certificate.SignatureAlgorithm { .ecdsaWithSHA256 }
    package static var kind: String { "a P-256 private key" }
    package var pem: Secret { Secret(pemRepresentation + "\n") }
    package var signing: Certificate.PrivateKey { Certificate.PrivateKey(self) }
    package var verification: Certificate.PublicKey { Certificate.PublicKey(publicKey) }
}

extension _RSA.Signing.PrivateKey: CertificateKey {
    package static var signature: Certificate.SignatureAlgorithm { .sha256WithRSAEncryption }
    package static var kind: String { "an RSA private key of 2,048 bits or more" }
    package var pem: Secret { Secret(pkcs8PEMRepresentation + "\n") }
    package var signing: Certificate.PrivateKey { Certificate.PrivateKey(self) }
    package var verification: Certificate.PublicKey { Certificate.PublicKey(publicKey) }
}
