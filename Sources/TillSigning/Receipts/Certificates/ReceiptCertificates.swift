import CryptoExtras
import Foundation
import SwiftASN1
import X509

/// Creates the certificates for receipts. They use RSA and SHA-256, and have the same validity as Till's other
/// certificates.
///
/// They contain no OCSP URL, because receipts are verified offline, at their own creation date. See
/// docs/api/receipts/app-receipts.md.
enum ReceiptCertificates {
    static let intermediateName = "Till Receipt Authority"
    static let leafName = "Till App Receipt Signing"
    static let purchaseName = "Till Purchase Receipt Signing"

    /// Creates a self-signed root.
    static func root(name: String, key: _RSA.Signing.PrivateKey) throws -> Certificate {
        let subject = try CertificateProfile.distinguishedName(name)
        return try certificate(for: key.publicKey, subject: subject, issuer: subject, issuerKey: key) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
        }
    }

    /// Creates an intermediate.
    ///
    /// - Parameter isMarked: whether the certificate has its marker; false only for a certificate that verifiers must
    ///   reject.
    static func intermediate(
        key: _RSA.Signing.PublicKey,
        under root: Certificate,
        rootKey: _RSA.Signing.PrivateKey,
        isMarked: Bool = true
    ) throws -> Certificate {
        let subject = try CertificateProfile.distinguishedName(intermediateName)
        return try certificate(for: key, subject: subject, issuer: root.subject, issuerKey: rootKey) {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key))
            try CertificateProfile.authorityKeyIdentifier(of: root)
            if isMarked { CertificateProfile.marker(CertificateProfile.intermediateMarker) }
        }
    }

    /// Creates a leaf: the certificate of a key that signs receipts.
    ///
    /// - Parameters:
    ///   - marked: whether the certificate has its marker. Receipts of single transactions need none.
    ///   - validity: the validity, which differs only for a certificate that verifiers must reject.
    static func leaf(
        name: String,
        key: _RSA.Signing.PublicKey,
        marked: Bool,
        under intermediate: Certificate,
        intermediateKey: _RSA.Signing.PrivateKey,
        validity: ClosedRange<Date> = CertificateProfile.validity
    ) throws -> Certificate {
        let subject = try CertificateProfile.distinguishedName(name)
        let issuer = intermediate.subject
        return try certificate(
            for: key,
            subject: subject,
            issuer: issuer,
            issuerKey: intermediateKey,
            validity: validity
        ) {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            SubjectKeyIdentifier(hash: Certificate.PublicKey(key))
            try CertificateProfile.authorityKeyIdentifier(of: intermediate)
            if marked {
                CertificateProfile.marker(CertificateProfile.leafMarker)
            }
        }
    }

    private static func certificate(
        for key: _RSA.Signing.PublicKey,
        subject: DistinguishedName,
        issuer: DistinguishedName,
        issuerKey: _RSA.Signing.PrivateKey,
        validity: ClosedRange<Date> = CertificateProfile.validity,
        @ExtensionsBuilder extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key),
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound,
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: Certificate.Extensions(builder: extensions),
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }
}
