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

    /// The status without its details.
    package var status: OCSPStatus {
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

extension OCSPRevocationReason {
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
