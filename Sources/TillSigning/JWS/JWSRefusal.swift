/// Why a text cannot be read as a compact JWS.
package enum JWSRefusal: Error, Sendable, Equatable {
    /// The three parts between the dots.
    package enum Segment: String, Sendable {
        case header, payload, signature
    }

    /// More bytes than the limit.
    case tooLong(bytes: Int, limit: Int)
    /// Not three parts; five would be an encrypted token.
    case segments(Int)
    /// A part that is not base64url without padding.
    case notBase64URL(Segment)
    /// A part that is not the required JSON object; `reason` is the predicate of a sentence about the part.
    case notJSON(Segment, reason: String)
    /// An ES256 signature has 64 bytes.
    case signatureLength(Int)

    /// One sentence for the developer who made the token. Never quotes the token.
    package var explanation: String {
        switch self {
        case .tooLong(let bytes, let limit):
            "The token has \(bytes) bytes; at most \(limit) are read."
        case .segments(let count):
            "The token has \(count) part\(count == 1 ? "" : "s"); a signed token is three (header, payload, "
                + "signature) with dots between them."
        case .notBase64URL(let segment):
            "The token's \(segment.rawValue) is not base64url without padding (A–Z, a–z, 0–9, - and _)."
        case .notJSON(let segment, let reason):
            "The token's \(segment.rawValue) \(reason); it must be one JSON object."
        case .signatureLength(let count):
            "The token's signature has \(count) bytes; ES256 gives 64, the numbers r and s one after the other, not "
                + "DER."
        }
    }
}
