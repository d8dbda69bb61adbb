import Crypto
import Foundation
import SwiftASN1
import X509

/// Creates Till's certificates: root, intermediate, leaf and OCSP responder, each with its name, validity and
/// extensions. Those for receipts contain no OCSP URL, because receipts are verified offline, at their own creation
/// date (docs/api/receipts/app-receipts.md).
///
/// The verifiers in Apple's official libraries require these properties; one of them uses OpenSSL in strict mode. The
/// names are Till's own, so that no one mistakes the certificates for Apple's. See docs/api/signed-data.md.
enum CertificateProfile {
    /// The validity is 2008-01-01 to 2100-01-01, UTC, because a simulated clock can show any of these dates, and
    /// offline verifiers check the certificates at the payload's date.
    static let notValidBefore = Date(timeIntervalSince1970: 1_199_145_600)
    static let notValidAfter = Date(timeIntervalSince1970: 4_102_444_800)

    static let intermediateName = "Till Signing Authority"
    static let leafName = "Till Signed Data"
    static let responderName = "Till OCSP Responder"
    static let receiptIntermediateName = "Till Receipt Authority"
    static let receiptLeafName = "Till App Receipt Signing"
    static let purchaseName = "Till Purchase Receipt Signing"

    /// With this extension, verifiers need not check whether the certificate of the responder is revoked.
    private static let noCheck: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 5]

    /// The validity of a certificate.
    static let validity = notValidBefore...notValidAfter

    /// A certificate that issues others, with its private key.
    struct Issuer<Key: CertificateKey> {
        let certificate: Certificate
        let key: Key
    }

    /// Creates a self-signed root.
    static func root(name: String, key: some CertificateKey) throws(SigningError) -> Certificate {
        try SigningError.wrapping(.cryptography, .root, "could not be created") {
            let subject = try distinguishedName(name)
            return try certificate(
                for: key.verification,
                subject: subject,
                issuer: subject,
                issuerKey: key,
                extensions: try ofAuthority(key.verification, maxPathLength: nil)
            )
        }
    }

    /// Creates an intermediate, which may issue leaves but no further intermediates.
    ///
    /// - Parameters:
    ///   - ocspURL: the URL of the OCSP responder; nil for a certificate that verifiers only check offline.
    ///   - isMarked: whether the certificate has its marker; false only for a certificate that verifiers must reject.
    static func intermediate(
        name: String = intermediateName,
        key: some CertificateKey,
        under root: Issuer<some CertificateKey>,
        ocspURL: String? = nil,
        isMarked: Bool = true
    ) throws(SigningError) -> Certificate {
        try SigningError.wrapping(.cryptography, .intermediate, "could not be created") {
            try certificate(
                for: key.verification,
                subject: try distinguishedName(name),
                issuer: root.certificate.subject,
                issuerKey: root.key,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                    Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                    SubjectKeyIdentifier(hash: key.verification)
                    try authorityKeyIdentifier(of: root.certificate)
                    if let ocspURL { revocation(at: ocspURL) }
                    if isMarked { marker(CertificateMarker.intermediate) }
                }
            )
        }
    }

    /// Creates a leaf: the certificate of a key that signs payloads or receipts.
    ///
    /// - Parameters:
    ///   - part: the certificate's name in errors.
    ///   - ocspURL: the URL of the OCSP responder; nil for a certificate that verifiers only check offline.
    ///   - validity: the validity, which differs only for a certificate that verifiers must reject.
    ///   - isMarked: whether the certificate has its marker.
    static func leaf(
        _ part: ChainPart = .leaf,
        name: String = leafName,
        key: some CertificateKey,
        under intermediate: Issuer<some CertificateKey>,
        ocspURL: String? = nil,
        validity: ClosedRange<Date> = validity,
        isMarked: Bool = true
    ) throws(SigningError) -> Certificate {
        try SigningError.wrapping(.cryptography, part, "could not be created") {
            try certificate(
                for: key.verification,
                subject: try distinguishedName(name),
                issuer: intermediate.certificate.subject,
                issuerKey: intermediate.key,
                validity: validity,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    SubjectKeyIdentifier(hash: key.verification)
                    try authorityKeyIdentifier(of: intermediate.certificate)
                    if let ocspURL { revocation(at: ocspURL) }
                    if isMarked { marker(CertificateMarker.leaf) }
                }
            )
        }
    }

    /// The certificate of an OCSP responder, to which an issuer delegates the signing of OCSP responses.
    static func responder(
        key: P256.Signing.PublicKey,
        under issuer: Certificate,
        issuerKey: P384.Signing.PrivateKey
    ) throws -> Certificate {
        try certificate(
            for: Certificate.PublicKey(key),
            subject: try distinguishedName(responderName),
            issuer: issuer.subject,
            issuerKey: issuerKey,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.ocspSigning])
                SubjectKeyIdentifier(hash: Certificate.PublicKey(key))
                try authorityKeyIdentifier(of: issuer)
                marker(noCheck)
            }
        )
    }

    /// Converts milliseconds to a date in whole seconds, because certificates contain whole seconds.
    static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: (Double(milliseconds) / 1_000).rounded(.down))
    }

    /// The extensions of a certificate that issues others.
    static func ofAuthority(_ key: Certificate.PublicKey, maxPathLength: Int?) throws -> Certificate.Extensions {
        try Certificate.Extensions {
            Critical(BasicConstraints.isCertificateAuthority(maxPathLength: maxPathLength))
            Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            SubjectKeyIdentifier(hash: key)
        }
    }

    /// Creates any of Till's certificates.
    static func certificate<IssuerKey: CertificateKey>(
        for key: Certificate.PublicKey,
        subject: DistinguishedName,
        issuer: DistinguishedName,
        issuerKey: IssuerKey,
        validity: ClosedRange<Date> = validity,
        extensions: Certificate.Extensions
    ) throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: key,
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound,
            issuer: issuer,
            subject: subject,
            signatureAlgorithm: IssuerKey.signature,
            extensions: extensions,
            issuerPrivateKey: issuerKey.signing
        )
    }

    static func distinguishedName(_ commonName: String) throws -> DistinguishedName {
        try DistinguishedName {
            CommonName(commonName)
            OrganizationalUnitName("Till Certificates")
            OrganizationName("Till")
        }
    }

    static func authorityKeyIdentifier(of issuer: Certificate) throws -> AuthorityKeyIdentifier {
        AuthorityKeyIdentifier(keyIdentifier: try issuer.extensions.subjectKeyIdentifier?.keyIdentifier)
    }

    private static func revocation(at url: String) -> AuthorityInformationAccess {
        AuthorityInformationAccess([
            AuthorityInformationAccess.AccessDescription(
                method: .ocspServer,
                location: .uniformResourceIdentifier(url)
            )
        ])
    }

    /// A marker extension, whose value is ASN.1 NULL. It is not critical, because one of the official verifiers looks
    /// for it only among extensions that are not critical.
    static func marker(_ identifier: ASN1ObjectIdentifier) -> Certificate.Extension {
        Certificate.Extension(oid: identifier, critical: false, value: [0x05, 0x00])
    }
}
