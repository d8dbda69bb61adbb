import Crypto
import SwiftASN1
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
