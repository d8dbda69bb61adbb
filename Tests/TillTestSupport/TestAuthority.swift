import Crypto
import Foundation
import SwiftASN1
import X509

/// A certificate authority for the servers of tests. It has a root and an intermediate certificate, and issues valid
/// and invalid server certificates.
package struct TestAuthority: Sendable {
    private let rootKey = P256.Signing.PrivateKey()
    private let intermediateKey = P256.Signing.PrivateKey()
    private let root: Certificate
    private let intermediate: Certificate

    /// Creates the root and the intermediate authority.
    package init() throws {
        root = try Self.authority("Test Root", rootKey.publicKey, issuer: nil, rootKey)
        intermediate = try Self.authority("Test Authority", intermediateKey.publicKey, issuer: root.subject, rootKey)
    }

    /// The root certificate as PEM, for a client to trust.
    package var rootPEM: String {
        get throws { try root.serializeAsPEM().pemString + "\n" }
    }

    /// Issues a certificate chain and a key for a server.
    ///
    /// - Parameters:
    ///   - name: The host name in the certificate.
    ///   - validDays: The number of days for which the certificate is valid, counted from now.
    ///   - isComplete: False to leave the intermediate certificate out of the chain.
    ///   - isSelfSigned: True for a certificate that is signed with its own key only.
    package func identity(
        for name: String = "localhost",
        validDays: ClosedRange<Int> = -1...30,
        isComplete: Bool = true,
        isSelfSigned: Bool = false
    ) throws -> WebhookReceiver.Identity {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Self.day(validDays.lowerBound),
            notValidAfter: Self.day(validDays.upperBound),
            issuer: isSelfSigned ? subject : intermediate.subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames([.dnsName(name)])
            },
            issuerPrivateKey: Certificate.PrivateKey(isSelfSigned ? key : intermediateKey)
        )
        let chain = isComplete && !isSelfSigned ? [certificate, intermediate] : [certificate]
        return WebhookReceiver.Identity(
            chainPEM: try chain.map { try $0.serializeAsPEM().pemString + "\n" }.joined(),
            keyPEM: key.pemRepresentation + "\n"
        )
    }

    private static func authority(
        _ name: String,
        _ key: P256.Signing.PublicKey,
        issuer: DistinguishedName?,
        _ issuerKey: P256.Signing.PrivateKey
    ) throws -> Certificate {
        let subject = try DistinguishedName { CommonName(name) }
        return try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key),
            notValidBefore: day(-2),
            notValidAfter: day(60),
            issuer: issuer ?? subject,
            subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
            },
            issuerPrivateKey: Certificate.PrivateKey(issuerKey)
        )
    }

    private static func day(_ offset: Int) -> Date { Date(timeIntervalSinceNow: Double(offset) * 86_400) }
}
