/// The reason why a ``ChainVerifier`` does not trust a chain of certificates.
package enum ChainRefusal: Error, Sendable, Equatable {
    /// The chain does not have three certificates.
    case count(Int)
    /// A certificate cannot be read.
    case unreadable(ChainPart)
    /// The chain does not lead to a trusted root, is not valid at its date, or lacks a marker.
    case untrusted(reason: String)
    /// The OCSP responder does not say that the certificates are good.
    case revoked(reason: String)
    /// The OCSP responder did not answer, so the same check may succeed later.
    case revocationUnknown(reason: String)

    /// Explains the reason in one sentence.
    package var explanation: String {
        switch self {
        case .count(let count): "The header has \(count) certificates (x5c) instead of three."
        case .unreadable(let part): "The \(part.rawValue) cannot be read."
        case .untrusted(let reason): "The certificates are not trusted: \(reason)."
        case .revoked(let reason): "The certificates are not confirmed as valid: \(reason)."
        case .revocationUnknown(let reason): "The OCSP responder did not answer: \(reason)."
        }
    }
}
