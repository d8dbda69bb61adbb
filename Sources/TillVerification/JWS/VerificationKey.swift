import Crypto
import Foundation
import X509

/// A P-256 public key that verifies ES256 signatures. Reading a key takes 15 µs, so keep the value, not the bytes.
package struct VerificationKey: Sendable {
    /// The key in the type of swift-certificates, because those of swift-crypto 3 cannot be sent between tasks.
    private let key: Certificate.PublicKey
    /// The key as PEM.
    package let pem: String
    /// The key as it is stored: an uncompressed point (X9.63) of 65 bytes.
    package let x963: [UInt8]

    /// Wraps an existing key.
    package init(_ key: P256.Signing.PublicKey) {
        self.key = Certificate.PublicKey(key)
        pem = key.pemRepresentation + "\n"
        x963 = Array(key.x963Representation)
    }

    /// The P-256 key of a certificate; nil for a key of another kind.
    package init?(_ key: Certificate.PublicKey) {
        guard let key = P256.Signing.PublicKey(key) else { return nil }
        self.init(key)
    }

    /// Reads an uncompressed point (X9.63): 65 bytes that begin with 4.
    ///
    /// - Throws: ``SigningError`` if the bytes are not a point of the curve.
    package init(x963: [UInt8]) throws(SigningError) {
        self.init(
            try SigningError.wrapping(.unreadable, .apiKey, "is not a P-256 public key (65 bytes, X9.63)") {
                try P256.Signing.PublicKey(x963Representation: x963)
            }
        )
    }

    /// Reads the public key of a private key in PKCS#8, DER.
    ///
    /// - Throws: ``SigningError`` if the bytes are not such a key.
    package init(ofPKCS8 der: [UInt8]) throws(SigningError) {
        self.init(
            try SigningError.wrapping(.unreadable, .apiKey, "is not a P-256 private key (PKCS#8, DER)") {
                try P256.Signing.PrivateKey(derRepresentation: der).publicKey
            }
        )
    }

    /// Reads a public key in PEM.
    ///
    /// - Throws: ``SigningError`` if the text is not such a key.
    package init(pem: String) throws(SigningError) {
        self.init(
            try SigningError.wrapping(.unreadable, .apiKey, "is not a P-256 public key in PEM") {
                try P256.Signing.PublicKey(pemRepresentation: pem)
            }
        )
    }

    /// Whether `signature` (64 bytes, r then s) is valid for `data`. False for a signature of another length.
    package func isValid(_ signature: [UInt8], for data: ArraySlice<UInt8>) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
        return P256.Signing.PublicKey(key)?.isValidSignature(signature, for: data) == true
    }

    /// Whether `signature` (DER) is valid for `data`. False if the bytes are not DER with two numbers.
    package func isValid(der signature: [UInt8], for data: [UInt8]) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
        return P256.Signing.PublicKey(key)?.isValidSignature(signature, for: data) == true
    }
}

extension VerificationKey: Hashable {
    package static func == (left: VerificationKey, right: VerificationKey) -> Bool {
        left.x963 == right.x963
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(x963)
    }
}
