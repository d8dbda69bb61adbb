import Crypto
import SwiftASN1
import Synchronization
import X509

/// Signs OCSP responses for the certificates of one issuer, with a key that the issuer has authorized.
struct OCSPSigner: Sendable {
    let privateKey: P256.Signing.PrivateKey
    let certificateDER: [UInt8]
    /// The SHA-1 hash of the public key, which identifies the signer in responses.
    let keyHash: [UInt8]

    /// Creates a key, and a certificate by the issuer for that key.
    init(for issuer: Certificate, key issuerKey: P384.Signing.PrivateKey, _ part: ChainPart) throws(SigningError) {
        let privateKey = P256.Signing.PrivateKey()
        let certificate = try SigningError.wrapping(.cryptography, part, "could not issue an OCSP responder") {
            try CertificateProfile.responder(key: privateKey.publicKey, under: issuer, issuerKey: issuerKey)
        }
        self.privateKey = privateKey
        certificateDER = try CertificateText.der(of: certificate, part)
        keyHash = Array(Insecure.SHA1.hash(data: privateKey.publicKey.x963Representation))
    }
}

/// The signer of an issuer. It is created for the first response: issuing its certificate takes a server 1 ms for each
/// chain, and few verifiers ask.
final class LazyOCSPSigner: Sendable {
    private let issuer: Certificate
    private let key: P384.Signing.PrivateKey
    private let part: ChainPart
    private let made = Mutex<OCSPSigner?>(nil)

    init(for issuer: Certificate, key: P384.Signing.PrivateKey, _ part: ChainPart) {
        self.issuer = issuer
        self.key = key
        self.part = part
    }

    /// The signer, which is the same for all responses.
    ///
    /// - Throws: ``SigningError`` with the code `cryptography`.
    func signer() throws -> OCSPSigner {
        try made.withLock { made in
            if let made { return made }
            let signer = try OCSPSigner(for: issuer, key: key, part)
            made = signer
            return signer
        }
    }
}
