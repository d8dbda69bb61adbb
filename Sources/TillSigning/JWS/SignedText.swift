/// A compact JWS in two pieces: the header, which is the same for all texts of a chain, and the rest. A cache of many
/// texts needs to keep the header only once.
package struct SignedText: Equatable, Sendable {
    /// The header segment, in base64url.
    package let header: [UInt8]
    /// The text after the header: a dot, the payload, a dot and the signature.
    package let rest: [UInt8]

    /// The number of characters.
    package var count: Int { header.count + rest.count }
    /// The whole text as ASCII bytes.
    package var bytes: [UInt8] { header + rest }
    /// The whole text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
