import CryptoExtras

/// Makes RSA private keys, writes and reads them as PEM, with errors that name the part.
enum RSAKeys {
    /// The format of single transactions' receipts has room for no larger key; it is insecure for anything else.
    static let purchaseKeySize = 1_024

    /// A new key of 2,048 bits.
    static func make(_ part: ChainPart) throws(SigningError) -> _RSA.Signing.PrivateKey {
        try SigningError.wrapping(.cryptography, part, "could not be made") {
            try _RSA.Signing.PrivateKey(keySize: .bits2048)
        }
    }

    /// A new key of 1,024 bits.
    static func makeForPurchases() throws(SigningError) -> _RSA.Signing.PrivateKey {
        try SigningError.wrapping(.cryptography, .purchaseKey, "could not be made") {
            try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: purchaseKeySize))
        }
    }

    static func key(_ pem: Secret, _ part: ChainPart) throws(SigningError) -> _RSA.Signing.PrivateKey {
        try SigningError.wrapping(.unreadable, part, "is not an RSA private key of 2,048 bits or more in PEM") {
            try _RSA.Signing.PrivateKey(pemRepresentation: pem.exposed)
        }
    }

    static func keyForPurchases(_ pem: Secret) throws(SigningError) -> _RSA.Signing.PrivateKey {
        let key = try SigningError.wrapping(.unreadable, .purchaseKey, "is not an RSA private key in PEM") {
            try _RSA.Signing.PrivateKey(unsafePEMRepresentation: pem.exposed)
        }
        guard key.keySizeInBits == purchaseKeySize else {
            throw SigningError(.unreadable, .purchaseKey, "has \(key.keySizeInBits) bits instead of 1,024")
        }
        return key
    }

    /// PKCS#8.
    static func pem(of key: _RSA.Signing.PrivateKey) -> Secret { Secret(key.pkcs8PEMRepresentation + "\n") }
}
