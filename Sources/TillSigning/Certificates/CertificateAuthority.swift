import Crypto
import X509

/// A self-signed root certificate with its private key, which issues certificates. Till has three, independent of each
/// other: ``RootAuthority``, ``ReceiptAuthority`` and ``TLSAuthority``.
package struct CertificateAuthority<Kind: AuthorityKind>: Sendable, CustomStringConvertible {
    let certificate: Certificate
    let privateKey: Kind.PrivateKey

    /// The certificate as DER, for the list of trusted roots in a client library.
    package let certificateDER: [UInt8]

    /// Reads a root from the text of ``certificatePEM`` and ``privateKeyPEM``.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable`; `mismatchedKey` if the key belongs to another
    ///   certificate; `brokenChain` if the certificate is not a root that verifiers accept.
    package init(certificatePEM: String, privateKeyPEM: Secret) throws(SigningError) {
        let document = try CertificateText.document(certificatePEM, Kind.part)
        try self.init(
            certificate: try CertificateText.certificate(document, Kind.part),
            privateKey: try Kind.PrivateKey(pem: privateKeyPEM, Kind.keyPart)
        )
    }

    init(certificate: Certificate, privateKey: Kind.PrivateKey) throws(SigningError) {
        guard certificate.publicKey == privateKey.verification else {
            throw SigningError(.mismatchedKey, Kind.keyPart, "does not match the \(Kind.part.rawValue)")
        }
        if let problem = Kind.problems(of: certificate).first {
            throw SigningError(.brokenChain, problem.part, problem.reason)
        }
        self.certificate = certificate
        self.privateKey = privateKey
        certificateDER = try CertificateText.der(of: certificate, Kind.part)
    }

    /// The certificate and the key, to issue certificates.
    var issuer: CertificateProfile.Issuer<Kind.PrivateKey> { .init(certificate: certificate, key: privateKey) }

    /// The certificate as one PEM block.
    package var certificatePEM: String { CertificateText.pem(of: certificateDER) }

    /// The private key as PEM (PKCS#8).
    package var privateKeyPEM: Secret { privateKey.pem }

    /// The SHA-256 hash of ``certificateDER`` in 64 lower-case hexadecimal digits, for comparing roots.
    package var fingerprint: String { Hexadecimal.text(SHA256.hash(data: certificateDER)) }

    package var description: String { "\(Kind.title) \(certificate.subject), fingerprint \(fingerprint)" }
}

/// What distinguishes the roots of Till.
package protocol AuthorityKind: Sendable {
    /// The type of the private key.
    associatedtype PrivateKey: CertificateKey
    /// The certificate's name in errors.
    static var part: ChainPart { get }
    /// The private key's name in errors.
    static var keyPart: ChainPart { get }
    /// The name in descriptions.
    static var title: String { get }
    /// The reasons why verifiers would reject a certificate as a root of this kind.
    static func problems(of certificate: Certificate) -> [ChainProblem]
}

extension AuthorityKind {
    /// The problems of a root of signed data.
    package static func problems(of certificate: Certificate) -> [ChainProblem] {
        ChainInspection.problems(ofRoot: certificate)
    }
}
