import Crypto
import SwiftASN1
import X509

/// The issuer of a certificate as an OCSP request identifies it: by the hashes of its name and its key.
struct OCSPIssuer: Hashable, Sendable {
    let nameHash: [UInt8]
    let keyHash: [UInt8]

    /// The hashes of an issuer's name and key, for each hash algorithm that a client may use.
    static func names(of certificate: Certificate, _ part: ChainPart) throws(SigningError)
        -> [ASN1ObjectIdentifier: OCSPIssuer]
    {
        let name = try SigningError.wrapping(.cryptography, part, "has a name that cannot be written as DER") {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate.subject)
            return serializer.serializedBytes
        }
        let key = Array(certificate.publicKey.subjectPublicKeyInfoBytes)
        func names<Hash: HashFunction>(by hash: Hash.Type) -> OCSPIssuer {
            OCSPIssuer(nameHash: Array(Hash.hash(data: name)), keyHash: Array(Hash.hash(data: key)))
        }
        return [
            [1, 3, 14, 3, 2, 26]: names(by: Insecure.SHA1.self),
            [2, 16, 840, 1, 101, 3, 4, 2, 1]: names(by: SHA256.self),
            [2, 16, 840, 1, 101, 3, 4, 2, 2]: names(by: SHA384.self),
            [2, 16, 840, 1, 101, 3, 4, 2, 3]: names(by: SHA512.self),
        ]
    }
}
