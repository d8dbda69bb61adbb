/// The reason why a text is not a compact JWS.
package enum JWSRefusal: Error, Sendable, Equatable {
    /// The parts of a compact JWS.
    package enum Segment: String, Sendable {
        case header, payload, signature
    }

    /// The text has more bytes than the limit.
    case tooLong(bytes: Int, limit: Int)
    /// The text does not have three parts. An encrypted token, for example, has five.
    case segments(Int)
    /// A part is not base64url without padding.
    case notBase64URL(Segment)
    /// A part is not a JSON object. `reason` is the predicate of a sentence whose subject is the part.
    case notJSON(Segment, reason: String)
    /// The signature does not have the 64 bytes of an ES256 signature.
    case signatureLength(Int)

    /// Explains the reason in one sentence, for the developer who created the token. It never quotes the token.
    package var explanation: String { explanation(about: "token") }

    /// Explains the reason in one sentence.
    ///
    /// - Parameter name: what the text is for the reader, such as `token`.
    package func explanation(about name: String) -> String {
        switch self {
        case .tooLong(let bytes, let limit):
            "The \(name) has \(bytes) bytes; the maximum is \(limit)."
        case .segments(let count):
            "The \(name) has \(count) part\(count == 1 ? "" : "s") instead of three (header, payload, signature), "
                + "separated by dots."
        case .notBase64URL(let segment):
            "The \(name)'s \(segment.rawValue) is not base64url without padding (A–Z, a–z, 0–9, - and _)."
        case .notJSON(let segment, let reason):
            "The \(name)'s \(segment.rawValue) \(reason); it must be one JSON object."
        case .signatureLength(let count):
            "The \(name)'s signature has \(count) bytes; an ES256 signature has 64 (the numbers r and s, without "
                + "DER)."
        }
    }
}
