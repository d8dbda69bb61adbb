import Crypto
import SwiftASN1
import TillJSON
import X509

/// Verifies stored signatures with the certificate in the JWS header, as a receiver does. So it also works after the
/// chain's private keys were deleted.
package struct CachedSignature: Sendable {
    private let header: [UInt8]
    private let key: VerificationKey

    /// Reads the leaf's public key from a JWS header.
    ///
    /// - Parameter header: the header segment of a chain, in base64url.
    /// - Throws: ``SigningError`` if the header contains no leaf with a P-256 key.
    package init(header: [UInt8]) throws(SigningError) {
        guard
            let json = Base64URL.decode(header[...]),
            let tree = try? JSONTree.parse(json),
            case .string(let leaf)? = tree["x5c"]?.elements.first,
            let der = Base64.decode(leaf)
        else { throw SigningError(.unreadable, .leaf, "is missing in the header") }
        let certificate = try SigningError.wrapping(.unreadable, .leaf, "cannot be read") {
            try Certificate(derEncoded: der)
        }
        guard let key = P256.Signing.PublicKey(certificate.publicKey) else {
            throw SigningError(.unreadable, .leaf, "has no P-256 key")
        }
        self.header = header
        self.key = VerificationKey(key)
    }

    /// Whether a signature (64 bytes, r then s) is valid for the header and a payload.
    package func isValid(_ signature: [UInt8], for payload: [UInt8]) -> Bool {
        var text = header
        text.append(CompactJWS.dot)
        Base64URL.append(payload, to: &text)
        return key.isValid(signature, for: text[...])
    }
}
