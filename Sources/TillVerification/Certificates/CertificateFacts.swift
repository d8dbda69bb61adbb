import Crypto
import Foundation
import SwiftASN1
import X509

/// The contents of a certificate, for display.
package struct CertificateFacts: Sendable, Equatable {
    /// An extension of the certificate.
    package struct Extension: Sendable, Equatable {
        /// The object identifier in dotted form.
        package let identifier: String
        /// The name of the extension; nil when Till does not know the identifier.
        package let name: String?
        /// Whether verifiers must reject the certificate if they do not know the extension.
        package let isCritical: Bool
    }

    /// The subject, such as `CN=Till Signed Data,O=Till`.
    package let subject: String
    /// The issuer: `CN=Till Signing Authority,O=Till`.
    package let issuer: String
    /// The serial number in lower-case hexadecimal digits.
    package let serial: String
    /// The first instant of the validity, in milliseconds since 1970.
    package let notValidBefore: Int64
    /// The last instant of the validity, in milliseconds since 1970.
    package let notValidAfter: Int64
    /// The kind of the public key, such as `P-256`.
    package let key: String
    /// SHA-256 of the certificate as DER, in lower-case hexadecimal digits.
    package let fingerprint: String
    /// The extensions, in the order of the certificate.
    package let extensions: [Extension]

    /// Reads a certificate without verifying it.
    ///
    /// - Throws: ``SigningError`` with the code `unreadable`.
    package init(der: [UInt8]) throws(SigningError) {
        self.init(
            try SigningError.wrapping(.unreadable, .leaf, "cannot be read") { try Certificate(derEncoded: der) },
            der
        )
    }

    init(_ certificate: Certificate, _ der: [UInt8]) {
        subject = "\(certificate.subject)"
        issuer = "\(certificate.issuer)"
        serial = Hexadecimal.text(certificate.serialNumber.bytes)
        notValidBefore = Self.milliseconds(certificate.notValidBefore)
        notValidAfter = Self.milliseconds(certificate.notValidAfter)
        key = Self.kind(of: certificate.publicKey)
        fingerprint = Hexadecimal.text(SHA256.hash(data: der))
        extensions = certificate.extensions.map {
            Extension(identifier: "\($0.oid)", name: Self.names["\($0.oid)"], isCritical: $0.critical)
        }
    }

    private static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }

    private static func kind(of key: Certificate.PublicKey) -> String {
        if P256.Signing.PublicKey(key) != nil { return "P-256" }
        if P384.Signing.PublicKey(key) != nil { return "P-384" }
        if P521.Signing.PublicKey(key) != nil { return "P-521" }
        if let bits = key.rsaBits { return "RSA, \(bits) bits" }
        return "another kind"
    }

    private static let names = [
        "2.5.29.14": "subject key identifier", "2.5.29.15": "key usage", "2.5.29.19": "basic constraints",
        "2.5.29.31": "CRL distribution points", "2.5.29.32": "certificate policies",
        "2.5.29.35": "authority key identifier",
        "2.5.29.37": "extended key usage", "1.3.6.1.5.5.7.1.1": "authority information access (OCSP)",
        "\(CertificateMarker.leaf)": "App Store signing certificate",
        "\(CertificateMarker.intermediate)": "intermediate for App Store signing certificates",
    ]
}
