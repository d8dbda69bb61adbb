/// What the OCSP responder reports for a certificate, or the way in which it fails to answer.
public enum OCSPStatus: String, Codable, CaseIterable, Sendable {
    /// Not revoked.
    case good
    case revoked
    /// Unknown, as if the certificate had never been issued.
    case unknown
    /// Good, but the response is delayed.
    case slow
    /// An error instead of a status.
    case error
    /// Good, but the response was valid only from two days ago until one day ago.
    case stale
    /// No response: the connection is closed.
    case dead
}

/// The reason why a certificate was revoked (RFC 5280, section 5.3.1).
public enum OCSPRevocationReason: String, Codable, CaseIterable, Sendable {
    case unspecified
    case keyCompromise
    case caCompromise
    case affiliationChanged
    case superseded
    case cessationOfOperation
    case certificateHold
    case removeFromCRL
    case privilegeWithdrawn
    case aaCompromise
}

/// The ways in which the OCSP responder can fail to answer.
public enum OCSPFailure: String, Codable, CaseIterable, Sendable {
    /// The OCSP error `tryLater`: the responder is busy.
    case tryLater
    /// The OCSP error `internalError`: the responder has a problem.
    case internalError
    /// The OCSP error `unauthorized`: the responder does not know the certificate's issuer.
    case unauthorized
    /// HTTP 500 instead of an OCSP response.
    case http500
}
