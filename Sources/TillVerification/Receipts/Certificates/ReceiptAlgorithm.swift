import X509

/// The hash algorithms of receipts, with their encoded identifiers.
package enum ReceiptAlgorithm: Sendable, Hashable {
    /// SHA-256.
    case sha256
    /// SHA-1, which the App Store used until 2023. Till reads it only if the caller accepts it, and never writes it.
    case sha1

    /// The AlgorithmIdentifier of the hash, with NULL parameters.
    var digest: [UInt8] {
        switch self {
        case .sha256: [0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00]
        case .sha1: [0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00]
        }
    }

    /// The OBJECT IDENTIFIER in ``digest``.
    var digestIdentifier: ArraySlice<UInt8> { digest[2..<digest.count - 2] }

    /// The algorithm of a signature with RSA, PKCS#1 v1.5 and this hash.
    var signature: Certificate.SignatureAlgorithm {
        switch self {
        case .sha256: .sha256WithRSAEncryption
        case .sha1: .sha1WithRSAEncryption
        }
    }

    /// The AlgorithmIdentifier of a certificate that is signed with RSA and this hash.
    var certificateSignature: [UInt8] { Self.rsa(self == .sha256 ? 0x0B : 0x05) }

    /// The AlgorithmIdentifier `rsaEncryption`, which SignerInfo contains.
    static let rsaEncryption = rsa(0x01)

    private static func rsa(_ last: UInt8) -> [UInt8] {
        [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, last, 0x05, 0x00]
    }

    /// The encoded content of the object identifiers `signedData` (1.2.840.113549.1.7.2) and `data`
    /// (1.2.840.113549.1.7.1).
    static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
}
