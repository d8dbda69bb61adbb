import Crypto

/// The kind of root at the end of a certificate chain.
package enum ChainRoot: Sendable, Equatable {
    /// A root that the caller trusts.
    case trusted
    /// One of Apple's roots, recognized by its fingerprint, with its name.
    case apple(String)
    /// The root of another Till server, or a root that claims to be one.
    case till
    /// Any other root.
    case unknown

    /// - Parameters:
    ///   - der: the last certificate of the chain, as DER.
    ///   - roots: the trusted roots, as DER.
    package init(_ der: [UInt8], trusting roots: [[UInt8]]) {
        let fingerprint = Hexadecimal.text(SHA256.hash(data: der))
        if roots.contains(der) {
            self = .trusted
        } else if let name = Self.apple[fingerprint] {
            self = .apple(name)
        } else {
            let subject = (try? CertificateFacts(der: der))?.subject ?? ""
            self = subject.split(separator: ",").contains("O=Till") ? .till : .unknown
        }
    }

    /// The names of Apple's roots by their SHA-256 fingerprints, as published at apple.com/certificateauthority.
    private static let apple = [
        "b0b1730ecbc7ff4505142c49f1295e6eda6bcaed7e2c68c5be91b5a11001f024": "Apple Root CA",
        "c2b9b042dd57830e7d117dac55ac8ae19407d38e41d88f3215bc3a890444a050": "Apple Root CA - G2",
        "63343abfb89a6a03ebb57e9b3f5fa7be7c4f5c756f3017b3a8c488c3653e9179": "Apple Root CA - G3",
    ]
}
