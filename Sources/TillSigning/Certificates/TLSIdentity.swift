import Crypto
import Foundation
import SwiftASN1
import X509

/// The certificate of a TLS server, with its private key and its root certificate.
package struct TLSIdentity: Sendable {
    let certificate: Certificate
    let privateKey: P256.Signing.PrivateKey
    private let documents: [[UInt8]]

    init(certificate: Certificate, key: P256.Signing.PrivateKey, issuer: [UInt8]) throws(SigningError) {
        self.certificate = certificate
        privateKey = key
        documents = [try CertificateText.der(of: certificate, .tlsServer), issuer]
    }

    /// Reads an identity from the text of ``certificatesPEM`` and ``privateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable`, or `mismatchedKey` if the key belongs to another
    ///   certificate.
    package init(certificatesPEM: String, privateKeyPEM: Secret) throws(SigningError) {
        let documents = try CertificateText.documents(certificatesPEM, .tlsServer)
        guard documents.count == 2 else {
            throw SigningError(.unreadable, .tlsServer, "must be the first of two PEM blocks")
        }
        certificate = try CertificateText.certificate(documents[0], .tlsServer)
        privateKey = try P256.Signing.PrivateKey(pem: privateKeyPEM, .tlsServerKey)
        self.documents = documents.map(\.derBytes)
        guard certificate.publicKey == privateKey.verification else {
            throw SigningError(.mismatchedKey, .tlsServerKey, "does not match the TLS server certificate")
        }
    }

    /// The server's certificate and the root certificate, as two PEM blocks.
    package var certificatesPEM: String { documents.map(CertificateText.pem(of:)).joined() }

    /// The private key as PEM (PKCS#8).
    package var privateKeyPEM: Secret { privateKey.pem }

    /// When the certificate expires.
    package var notValidAfter: Date { certificate.notValidAfter }

    /// Whether the certificate can still be used: this root issued it for exactly these names, and it is valid now and
    /// for another 30 days.
    package func isFit(for names: [TLSName], under authority: TLSAuthority, now: Date) -> Bool {
        let found = (try? certificate.extensions.subjectAlternativeNames).map { Array($0) } ?? []
        return documents[1] == authority.certificateDER && Set(found) == Set(names.map(\.general))
            && certificate.notValidBefore <= now && now + Self.renewedBefore < certificate.notValidAfter
    }

    /// The remaining lifetime below which a certificate is renewed.
    private static let renewedBefore: TimeInterval = 30 * 86_400
}
