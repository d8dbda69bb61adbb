import CryptoExtras

/// Creates RSA private keys, and reads those for receipts of single transactions. Errors name the part of the chain.
enum RSAKeys {
    /// The size in bits of the key for receipts of single transactions. The format of these receipts does not allow a
    /// larger key. Never use a key of this size for anything else, because it is insecure.
    static let purchaseKeySize = 1_024

    /// Creates a key of 2,048 bits.
    static func make(_ part: ChainPart) throws(SigningError) -> _RSA.Signing.PrivateKey {
        try SigningError.wrapping(.cryptography, part, "could not be created") {
            try _RSA.Signing.PrivateKey(keySize: .bits2048)
        }
    }

    /// Creates a key of 1,024 bits, for receipts of single transactions.
    static func makeForPurchases() throws(SigningError) -> _RSA.Signing.PrivateKey {
        try SigningError.wrapping(.cryptography, .purchaseKey, "could not be created") {
            try _RSA.Signing.PrivateKey(unsafeKeySize: _RSA.Signing.KeySize(bitCount: purchaseKeySize))
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
}
