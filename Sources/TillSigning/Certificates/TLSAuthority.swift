import Crypto
import Foundation
import SwiftASN1
import X509

/// The root that TLS clients trust, with its private key. It is self-signed with a P-256 key.
///
/// It is independent of the signing root: a client that trusts one root need not trust the other. TLS clients check
/// certificates in real time, so these certificates have ordinary lifetimes. See docs/operating/hosts.md.
package typealias TLSAuthority = CertificateAuthority<TLSRoot>

/// The kind of ``TLSAuthority``.
package enum TLSRoot: AuthorityKind {
    package typealias PrivateKey = P256.Signing.PrivateKey
    package static let part = ChainPart.tlsRoot
    package static let keyPart = ChainPart.tlsRootKey
    package static let title = "TLS root"

    /// TLS clients check the root themselves.
    package static func problems(of certificate: Certificate) -> [ChainProblem] { [] }

    /// The lifetime of a server certificate. Some clients reject more than 398 days.
    static let serverLifetime: TimeInterval = 397 * 86_400
    static let rootLifetime: TimeInterval = 20 * 365.25 * 86_400
    /// How long before now a certificate becomes valid, for clients whose clocks are behind.
    static let leeway: TimeInterval = 86_400
}

extension CertificateAuthority<TLSRoot> {
    /// Creates a root with a new key.
    ///
    /// - Parameter now: the real time.
    package static func make(now: Date) throws(SigningError) -> TLSAuthority {
        let key = P256.Signing.PrivateKey()
        let certificate = try SigningError.wrapping(.cryptography, .tlsRoot, "could not be created") {
            let name = try distinguishedName("Till TLS Root CA")
            return try CertificateProfile.certificate(
                for: key.verification,
                subject: name,
                issuer: name,
                issuerKey: key,
                validity: now - TLSRoot.leeway...now + TLSRoot.rootLifetime,
                extensions: CertificateProfile.ofAuthority(key.verification, maxPathLength: 0)
            )
        }
        return try TLSAuthority(certificate: certificate, privateKey: key)
    }

    /// Issues a server certificate with a new key.
    ///
    /// - Parameters:
    ///   - names: host names, which may begin with the label `*`, and IP addresses, without duplicates.
    ///   - now: the real time. The certificate is valid for 397 days from this time.
    /// - Throws: ``SigningError`` if the certificate cannot be created.
    package func issue(names: [TLSName], now: Date) throws(SigningError) -> TLSIdentity {
        let key = P256.Signing.PrivateKey()
        let server = try SigningError.wrapping(.cryptography, .tlsServer, "could not be created") {
            let begin = max(now - TLSRoot.leeway, certificate.notValidBefore)
            return try CertificateProfile.certificate(
                for: key.verification,
                subject: try Self.distinguishedName("Till TLS"),
                issuer: certificate.subject,
                issuerKey: privateKey,
                validity: begin...max(begin, min(now + TLSRoot.serverLifetime, certificate.notValidAfter)),
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                    try ExtendedKeyUsage([.serverAuth])
                    SubjectKeyIdentifier(hash: key.verification)
                    try CertificateProfile.authorityKeyIdentifier(of: certificate)
                    SubjectAlternativeNames(names.map(\.general))
                }
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
