/// The state that the OCSP responder reports for a certificate, or the way in which it fails to answer.
package enum OCSPState: Codable, Equatable, Sendable {
    /// Not revoked.
    case good
    /// Revoked since a date (milliseconds since 1970).
    case revoked(at: Int64, reason: OCSPRevocationReason?)
    /// Unknown, as if the certificate had never been issued.
    case unknown
    /// Good, but the response is delayed.
    case slow(milliseconds: Int)
    /// An error instead of a state.
    case error(OCSPFailure)
    /// Good, but the response was valid only from two days ago until one day ago.
    case stale
    /// No response: the connection is closed.
    case dead

    /// The maximum delay, in milliseconds.
    package static let maxDelay = 120_000

    /// The names of the states, as operators enter them.
    package enum Word: String, CaseIterable, Sendable {
        case good
        case revoked
        case unknown
        case slow
        case error
        case stale
        case dead
    }

    /// The name of the state.
    package var word: Word {
        switch self {
        case .good: .good
        case .revoked: .revoked
        case .unknown: .unknown
        case .slow: .slow
        case .error: .error
        case .stale: .stale
        case .dead: .dead
        }
    }
}

/// The reason why a certificate was revoked (RFC 5280, section 5.3.1).
package enum OCSPRevocationReason: String, Codable, CaseIterable, Sendable {
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

    /// The number in the encoded response. 7 is not used.
    var code: UInt8 {
        switch self {
        case .unspecified: 0
        case .keyCompromise: 1
        case .caCompromise: 2
        case .affiliationChanged: 3
        case .superseded: 4
        case .cessationOfOperation: 5
        case .certificateHold: 6
        case .removeFromCRL: 8
        case .privilegeWithdrawn: 9
        case .aaCompromise: 10
        }
    }
}

/// The ways in which the OCSP responder can fail to answer.
package enum OCSPFailure: String, Codable, CaseIterable, Sendable {
    /// The OCSP error `tryLater`: the responder is busy.
    case tryLater
    /// The OCSP error `internalError`: the responder has a problem.
    case internalError
    /// The OCSP error `unauthorized`: the responder does not know the certificate's issuer.
    case unauthorized
    /// HTTP 500 instead of an OCSP response.
    case http500
}
