import TillCore

/// A fault to inject: its effect, the requests that it applies to, and how often it occurs (docs/operating/faults.md).
package struct FaultRule: Codable, Equatable, Sendable {
    /// The id: `f` and a number.
    package var id: String
    /// The effect.
    package var kind: FaultKind
    /// The environment in which the rule applies; nil for both environments.
    package var environment: StoreEnvironment?
    /// The bundle id of the app to which the rule applies; nil for all apps.
    package var app: String?
    /// The name of the route to which the rule applies; nil for all routes. For notifications, a type, or a type and
    /// subtype.
    package var route: String?
    /// The name of the endpoint to which the rule applies; nil for all endpoints. Only for notifications.
    package var endpoint: String?
    /// The customer to whom the rule applies; nil for all customers.
    package var customer: String?
    /// The share of matching calls that the fault hits, from 0 to 1; nil for all calls.
    package var share: Double?
    /// The maximum number of calls or notifications that the fault hits; nil for no limit.
    package var limit: Int?
    /// When the rule ends, in real time; nil for no end.
    package var until: Timestamp?
    /// The error code, the HTTP status, or the status of verifyReceipt, depending on the kind.
    package var code: Int?
    /// The `Retry-After` value of an error, in seconds.
    package var retryAfter: Int?
    /// The delay, or the age up to which purchases are hidden, in milliseconds.
    package var milliseconds: Int?
    /// The maximum of an additional random delay, in milliseconds.
    package var spread: Int?
    /// The number of calls that a rate limit allows in an hour; nil for Apple's limits.
    package var perHour: Int?
    /// The seed of random decisions. With the same seed, the rule affects the same calls again.
    package var seed: UInt64

    private enum CodingKeys: String, CodingKey {
        case id, kind, app, route, customer, share, limit, until, code, retryAfter, milliseconds, spread, perHour, seed
        case endpoint
        case environment = "realm"
    }

    /// Creates a rule that applies to all calls or notifications; the other properties restrict it.
    package init(id: String, kind: FaultKind, seed: UInt64) {
        self.id = id
        self.kind = kind
        self.seed = seed
    }

    /// A short description for the request log.
    package var words: String {
        let detail: String? =
            switch kind {
            case .error, .status, .receiptStatus: code.map { String($0) }
            case .latency, .delay, .staleReads, .reorder: milliseconds.map { "\($0) ms" }
            case .rateLimit: perHour.map { "\($0) an hour" } ?? "Apple's limits"
            case .unauthorized, .cut, .half, .drop, .duplicate: nil
            }
        return "Fault \(id): \(kind.rawValue)" + (detail.map { " \($0)" } ?? "") + "."
    }
}

extension FaultKind {
    /// Whether the fault gives the answer or closes the connection. Only one such fault applies to a call.
    var endsCall: Bool {
        switch self {
        case .error, .unauthorized, .status, .receiptStatus, .cut, .half, .rateLimit: true
        case .latency, .staleReads, .drop, .delay, .duplicate, .reorder: false
        }
    }

    /// Whether the fault can apply to verifyReceipt, which has no bearer tokens and no error objects.
    package var isOfVerifyReceipt: Bool {
        switch self {
        case .status, .receiptStatus, .latency, .cut, .half: true
        default: false
        }
    }

    /// Whether the fault applies to notifications rather than to calls.
    package var isOfNotifications: Bool {
        switch self {
        case .drop, .delay, .duplicate, .reorder: true
        default: false
        }
    }
}

/// The hit of a fault on one call or one notification.
package struct FaultHit: Equatable, Sendable {
    /// The rule of the fault.
    package let rule: FaultRule
    /// The delay in milliseconds, including its random part.
    package let milliseconds: Int
}
