import Crypto
import SwiftASN1
import X509

/// Signs answers for the certificates of one issuer: a responder that the issuer delegated to.
struct OCSPSigner: Sendable {
    let privateKey: P256.Signing.PrivateKey
    let certificateDER: [UInt8]
    /// SHA-1 of the public key, which identifies the signer in answers.
    let keyHash: [UInt8]

    /// Makes a key and a certificate for it.
    init(for issuer: Certificate, key issuerKey: P384.Signing.PrivateKey, _ part: ChainPart) throws(SigningError) {
        let privateKey = P256.Signing.PrivateKey()
        let certificate = try SigningError.wrapping(.cryptography, part, "could not issue a responder") {
            try CertificateProfile.responder(key: privateKey.publicKey, under: issuer, issuerKey: issuerKey)
        }
        self.privateKey = privateKey
        certificateDER = try CertificateText.der(of: certificate, part)
        keyHash = Array(Insecure.SHA1.hash(data: privateKey.publicKey.x963Representation))
    }
}
