/// A compact JWS in two pieces: the header, whose bytes every text of a chain shares, and the rest. Of many texts only
/// the rest is kept.
package struct SignedText: Equatable, Sendable {
    /// The first segment, in base64url.
    package let header: [UInt8]
    /// A dot, the payload, a dot and the signature.
    package let rest: [UInt8]

    /// The whole text, ASCII.
    package var bytes: [UInt8] { header + rest }
    /// The whole text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension SigningChain {
    /// Signs a payload (UTF-8 JSON).
    ///
    /// - Throws: ``SigningError`` of code `cryptography`.
    package func signText(_ payload: [UInt8]) throws(SigningError) -> SignedText {
        let bytes = try signBytes(payload)
        return SignedText(header: headerSegment, rest: Array(bytes[headerSegment.count...]))
    }
}
