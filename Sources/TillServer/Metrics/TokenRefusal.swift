import TillSigning

/// Why a request was refused because of its token, as a label of a metric.
enum TokenRefusal: String, CaseIterable, Sendable {
    // The App Store Server API; the reasons of docs/api/authentication.md.
    case headerMissing = "header_missing"
    case notBearer = "not_bearer"
    case tokenMissing = "token_missing"
    case malformed
    case wrongAlgorithm = "wrong_algorithm"
    case criticalHeader = "critical_header"
    case keyIDMissing = "key_id_missing"
    case wrongClaimType = "wrong_claim_type"
    case unknownKey = "unknown_key"
    case revokedKey = "revoked_key"
    case offerKey = "offer_key"
    case badSignature = "bad_signature"
    case wrongIssuer = "wrong_issuer"
    case wrongAudience = "wrong_audience"
    case expirationMissing = "expiration_missing"
    case expired
    case issuedInFuture = "issued_in_future"
    case lifetimeTooLong = "lifetime_too_long"
    case bundleIDMissing = "bundle_id_missing"
    case wrongApp = "wrong_app"
    case unreleasedApp = "unreleased_app"
    case fault

    // The control API.
    case controlTokenMissing = "control_token_missing"
    case controlTokenUnknown = "control_token_unknown"
    case insufficientScope = "insufficient_scope"
    case otherApp = "other_app"

    /// The API that refuses, as a label.
    enum API: String {
        case appStore = "app_store"
        case control
    }

    var api: API {
        switch self {
        case .controlTokenMissing, .controlTokenUnknown, .insufficientScope, .otherApp: .control
        default: .appStore
        }
    }

    init(_ refusal: BearerRefusal) {
        switch refusal {
        case .headerMissing: self = .headerMissing
        case .notBearer: self = .notBearer
        case .tokenMissing: self = .tokenMissing
        case .malformed: self = .malformed
        case .wrongAlgorithm: self = .wrongAlgorithm
        case .criticalHeader: self = .criticalHeader
        case .keyIDMissing: self = .keyIDMissing
        case .wrongKind: self = .wrongClaimType
        case .unknownKey: self = .unknownKey
        case .badSignature: self = .badSignature
        case .wrongIssuer: self = .wrongIssuer
        case .wrongAudience: self = .wrongAudience
        case .expirationMissing: self = .expirationMissing
        case .expired: self = .expired
        case .issuedInFuture: self = .issuedInFuture
        case .livesTooLong: self = .lifetimeTooLong
        case .bundleIDMissing: self = .bundleIDMissing
        }
    }

    /// The refusal of a request to the control API; nil for an error that does not concern the token.
    init?(_ error: ControlError, hasToken: Bool) {
        switch error.code {
        case "unauthorized": self = hasToken ? .controlTokenUnknown : .controlTokenMissing
        case "insufficient_scope": self = .insufficientScope
        case "other_app": self = .otherApp
        default: return nil
        }
    }
}
