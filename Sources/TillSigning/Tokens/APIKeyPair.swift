import Crypto
import Foundation
import TillJSON

/// An API key: its id, and the P-256 private key that a developer downloads as a `.p8` file.
///
/// Till stores only the id and the public key. See docs/api/authentication.md.
package struct APIKeyPair: Sendable {
    /// The length of a key id.
    package static let keyIDLength = 10
    private static let keyIDCharacters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")

    /// The key id: ten characters of A–Z and 0–9 if Till created the key, otherwise the id of the imported key.
    package let keyID: String
    private let privateKey: P256.Signing.PrivateKey

    /// Creates a key with a random id.
    package static func make() -> APIKeyPair {
        var generator = SystemRandomNumberGenerator()
        return make(using: &generator)
    }

    /// Creates a key with an id from `generator`. The key itself always comes from the system's random generator.
    package static func make(using generator: inout some RandomNumberGenerator) -> APIKeyPair {
        var keyID = ""
        for _ in 0..<keyIDLength {
            keyID.append(keyIDCharacters[Int.random(in: keyIDCharacters.indices, using: &generator)])
        }
        return APIKeyPair(keyID: keyID, privateKey: P256.Signing.PrivateKey())
    }

    /// Imports an existing key, for example a key that a developer's server already uses.
    ///
    /// - Parameters:
    ///   - keyID: 1 to 64 ASCII letters, digits, `-` or `_`.
    ///   - privateKeyPEM: the content of the `.p8` file.
    /// - Throws: ``SigningError`` if the id or the private key is invalid.
    package init(keyID: String, privateKeyPEM: Secret) throws(SigningError) {
        guard keyID.isPlain(1...64, and: "-_") else {
            let rule = "1 to 64 ASCII letters, digits, hyphens and underscores"
            throw SigningError(.unusableValue, .apiKey, "cannot have this id: an id consists of \(rule)")
        }
        self.init(keyID: keyID, privateKey: try P256.Signing.PrivateKey(pem: privateKeyPEM, .apiKey))
    }

    private init(keyID: String, privateKey: P256.Signing.PrivateKey) {
        self.keyID = keyID
        self.privateKey = privateKey
    }

    /// The content of the `.p8` file: PKCS#8 as PEM.
    package var privateKeyPEM: Secret { Secret(privateKey.pemRepresentation + "\n") }
    /// The public key, which Till stores.
    package var publicKey: VerificationKey { VerificationKey(privateKey.publicKey) }

    /// Signs claims (UTF-8 JSON) as a developer's server does. The result is a compact JWS whose header contains `alg`,
    /// `kid` and `typ`.
    ///
    /// - Throws: ``SigningError`` with the code `cryptography`.
    package func sign(_ claims: [UInt8]) throws(SigningError) -> String {
        var header = JSONWriter(capacity: 64)
        header.put("alg", "ES256")
        header.put("kid", keyID)
        header.put("typ", "JWT")
        var text = Base64URL.encode(header.finish())
        text.append(CompactJWS.dot)
        Base64URL.append(claims, to: &text)
        let signature = try SigningError.wrapping(.cryptography, .apiKey, "could not sign") {
            Array(try privateKey.signature(for: text).rawRepresentation)
        }
        text.append(CompactJWS.dot)
        Base64URL.append(signature, to: &text)
        return String(decoding: text, as: UTF8.self)
    }
}

extension APIKeyPair: CustomStringConvertible {
    package var description: String { "API key \(keyID)" }
}
