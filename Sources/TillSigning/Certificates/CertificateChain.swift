import Crypto

/// A chain of certificates that signs data: leaf, intermediate and root.
package protocol CertificateChain: Sendable {
    /// The three certificates as DER: leaf, intermediate, root.
    var certificatesDER: [[UInt8]] { get }
    /// The chain's id: the first 16 hexadecimal digits of the SHA-256 hash of the leaf's DER.
    var id: String { get }
}

extension CertificateChain {
    /// The leaf, intermediate and root certificates as three PEM blocks.
    package var certificatesPEM: String { certificatesDER.map(CertificateText.pem).joined() }
    /// The root certificate as PEM.
    package var rootCertificatePEM: String { CertificateText.pem(of: certificatesDER[2]) }
    /// The SHA-256 hash of the root certificate in hexadecimal, which users compare before they trust the root.
    package var rootFingerprint: String { Hexadecimal.text(SHA256.hash(data: certificatesDER[2])) }

    /// The ``id`` of the chain with a leaf.
    package static func id(ofLeaf der: [UInt8]) -> String {
        CertificateText.chainID(ofLeaf: der)
    }
}
