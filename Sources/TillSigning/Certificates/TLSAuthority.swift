import Crypto
import Foundation
import SwiftASN1
import X509

/// The root that TLS clients trust, with its private key. It is self-signed with a P-256 key.
///
/// It is independent of the signing root, so a client that trusts one of these roots need not trust the other. TLS uses
/// real time, so the validity of these certificates depends on their creation date. See docs/operating/hosts.md.
package struct TLSAuthority: Sendable, CustomStringConvertible {
    let certificate: Certificate
    let privateKey: P256.Signing.PrivateKey

    /// The certificate as DER.
    package let certificateDER: [UInt8]

    /// The lifetime of a server certificate. Some clients reject more than 398 days.
    static let serverLifetime: TimeInterval = 397 * 86_400
    static let rootLifetime: TimeInterval = 20 * 365.25 * 86_400
    /// The time by which the validity begins before the creation, for clients whose clocks are behind.
    static let leeway: TimeInterval = 86_400

    /// Creates a root with a new key.
    ///
    /// - Parameter now: the real time.
    package static func make(now: Date) throws(SigningError) -> TLSAuthority {
        let key = P256.Signing.PrivateKey()
        let certificate = try SigningError.wrapping(.cryptography, .tlsRoot, "could not be created") {
            let name = try distinguishedName("Till TLS Root CA")
            return try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: now - leeway,
                notValidAfter: now + rootLifetime,
                issuer: name,
                subject: name,
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                },
                issuerPrivateKey: Certificate.PrivateKey(key)
            )
        }
        return try TLSAuthority(certificate: certificate, privateKey: key)
    }

    /// Reads a root from the text of ``certificatePEM`` and ``privateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable`, or `mismatchedKey` if the key belongs to another
    ///   certificate.
    package init(certificatePEM: String, privateKeyPEM: Secret) throws(SigningError) {
        let document = try CertificateText.document(certificatePEM, .tlsRoot)
        try self.init(
            certificate: try CertificateText.certificate(document, .tlsRoot),
            privateKey: try CertificateText.p256(privateKeyPEM, .tlsRootKey)
        )
    }

    private init(certificate: Certificate, privateKey: P256.Signing.PrivateKey) throws(SigningError) {
        guard certificate.publicKey == Certificate.PublicKey(privateKey.publicKey) else {
            throw SigningError(.mismatchedKey, .tlsRootKey, "does not match the TLS root certificate")
        }
        self.certificate = certificate
        self.privateKey = privateKey
        certificateDER = try CertificateText.der(of: certificate, .tlsRoot)
    }

    /// The certificate as one PEM block.
    package var certificatePEM: String { CertificateText.pem(of: certificateDER) }

    /// The private key as PEM (PKCS#8).
    package var privateKeyPEM: Secret { Secret(privateKey.pemRepresentation + "\n") }

    /// The SHA-256 hash of ``certificateDER`` in 64 lower-case hexadecimal digits.
    package var fingerprint: String { Hexadecimal.text(SHA256.hash(data: certificateDER)) }

    package var description: String { "TLS root \(certificate.subject), fingerprint \(fingerprint)" }

    /// Issues a server certificate with a new key.
    ///
    /// - Parameters:
    ///   - names: host names, which may begin with the label `*`, and IP addresses, without duplicates.
    ///   - now: the real time. The certificate is valid for 397 days from this time.
    /// - Throws: ``SigningError`` if the certificate cannot be created.
    package func issue(names: [TLSName], now: Date) throws(SigningError) -> TLSIdentity {
        let key = P256.Signing.PrivateKey()
        let server = try SigningError.wrapping(.cryptography, .tlsServer, "could not be created") {
            try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: max(now - Self.leeway, certificate.notValidBefore),
                notValidAfter: min(now + Self.serverLifetime, certificate.notValidAfter),
                issuer: certificate.subject,
                subject: try Self.distinguishedName("Till TLS"),
                signatureAlgorithm: .ecdsaWithSHA256,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
                    AuthorityKeyIdentifier(
                        keyIdentifier: try certificate.extensions.subjectKeyIdentifier?.keyIdentifier
                    )
                    SubjectAlternativeNames(names.map(\.general))
                },
                issuerPrivateKey: Certificate.PrivateKey(privateKey)
            )
        }
        return try TLSIdentity(certificate: server, key: key, issuer: certificateDER)
    }

    private static func distinguishedName(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            OrganizationName("Till")
        }
    }
}
