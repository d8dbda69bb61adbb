/// The state that the responder reports for a certificate, or how it fails.
package enum OCSPState: Codable, Equatable, Sendable {
    /// Not revoked.
    case good
    /// Revoked since an instant (milliseconds since 1970).
    case revoked(at: Int64, reason: OCSPRevocationReason?)
    /// As if the certificate had never been issued.
    case unknown
    /// Good, after a delay.
    case slow(milliseconds: Int)
    /// An answer with an error.
    case error(OCSPFailure)
    /// Good, but as of two days ago and expired since yesterday.
    case stale
    /// The connection is closed without an answer.
    case dead

    /// The maximum delay, in milliseconds.
    package static let maxDelay = 120_000

    /// The states, as operators name them.
    package enum Word: String, CaseIterable, Sendable {
        case good
        case revoked
        case unknown
        case slow
        case error
        case stale
        case dead
    }

    /// The state without its details.
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

/// Why a certificate was revoked (RFC 5280, section 5.3.1).
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

    /// The number on the wire; 7 is not used.
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

/// The ways in which a responder can fail to answer.
package enum OCSPFailure: String, Codable, CaseIterable, Sendable {
    /// The responder is busy.
    case tryLater
    /// The responder is broken.
    case internalError
    /// The responder does not know the certificate's issuer.
    case unauthorized
    /// No OCSP answer at all: HTTP 500.
    case http500
}
