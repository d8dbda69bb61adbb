import Crypto
import SwiftASN1
import X509

/// The issuer of a certificate as an OCSP request identifies it: by the hashes of its name and its key.
package struct OCSPIssuer: Hashable, Sendable {
    /// The hash algorithm.
    let hash: ASN1ObjectIdentifier
    let nameHash: [UInt8]
    let keyHash: [UInt8]

    /// An issuer with each hash algorithm that a client may use.
    package static func names(of certificate: Certificate, _ part: ChainPart) throws(SigningError) -> [OCSPIssuer] {
        let name = try SigningError.wrapping(.cryptography, part, "has a name that cannot be written as DER") {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate.subject)
            return serializer.serializedBytes
        }
        let key = Array(certificate.publicKey.subjectPublicKeyInfoBytes)
        func issuer<Hash: HashFunction>(_ hash: ASN1ObjectIdentifier, _: Hash.Type) -> OCSPIssuer {
            OCSPIssuer(hash: hash, nameHash: Array(Hash.hash(data: name)), keyHash: Array(Hash.hash(data: key)))
        }
        return [
            issuer([1, 3, 14, 3, 2, 26], Insecure.SHA1.self), issuer([2, 16, 840, 1, 101, 3, 4, 2, 1], SHA256.self),
            issuer([2, 16, 840, 1, 101, 3, 4, 2, 2], SHA384.self),
            issuer([2, 16, 840, 1, 101, 3, 4, 2, 3], SHA512.self),
        ]
    }
}
