/// The hash algorithms of receipts, with their encoded identifiers.
enum ReceiptAlgorithm: Sendable, Hashable {
    case sha256
    /// Used by the store until 2023. Read on request, never written.
    case sha1

    /// AlgorithmIdentifier of the hash, with NULL.
    var digest: [UInt8] {
        switch self {
        case .sha256: [0x30, 0x0D, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00]
        case .sha1: [0x30, 0x09, 0x06, 0x05, 0x2B, 0x0E, 0x03, 0x02, 0x1A, 0x05, 0x00]
        }
    }

    /// The OBJECT IDENTIFIER in it.
    var digestIdentifier: ArraySlice<UInt8> { digest[2..<digest.count - 2] }

    /// AlgorithmIdentifier of a certificate signed with RSA and this hash.
    var certificateSignature: [UInt8] { Self.rsa(self == .sha256 ? 0x0B : 0x05) }

    /// AlgorithmIdentifier rsaEncryption, as in a SignerInfo.
    static let rsaEncryption = rsa(0x01)

    private static func rsa(_ last: UInt8) -> [UInt8] {
        [0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, last, 0x05, 0x00]
    }

    /// The contents of 1.2.840.113549.1.7.2 and .1: signedData and data.
    static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
    static let data: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x01]
}
