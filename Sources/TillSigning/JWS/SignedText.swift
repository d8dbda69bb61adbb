/// A compact JWS in two pieces: the header, which all texts of a chain share, and the rest. Where many texts are kept,
/// only the rest is stored for each.
package struct SignedText: Equatable, Sendable {
    /// The first segment, in base64url.
    package let header: [UInt8]
    /// A dot, the payload, a dot and the signature.
    package let rest: [UInt8]

    /// How many characters it has.
    package var count: Int { header.count + rest.count }
    /// The whole text, ASCII.
    package var bytes: [UInt8] { header + rest }
    /// The whole text.
    package var text: String { String(decoding: bytes, as: UTF8.self) }
}
