import TillCore

/// A fault to inject: what, for which requests, how often (docs/operating/faults.md).
package struct FaultRule: Codable, Equatable, Sendable {
    /// The effect of a fault.
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// A documented error of Apple, by its `code`; with `retryAfter` also a header.
        case error
        /// 401 without an explanation.
        case unauthorized
        /// A bare HTTP status of 500 and above, by its `code`, without an error object.
        case status
        /// A status of verifyReceipt, by its `code`.
        case receiptStatus
        /// Delays the answer by `milliseconds`, and up to `spread` more.
        case latency
        /// Closes the connection before the answer.
        case cut
        /// Closes the connection in the middle of the answer.
        case half
        /// Hides purchases of the last `milliseconds` of real time.
        case staleReads
        /// 429 after `perHour` calls in an hour; without a number, Apple's own limits.
        case rateLimit
        /// Loses a notification but records it as delivered.
        case drop
        /// Sends a notification `milliseconds` of real time late.
        case delay
        /// Posts a notification twice.
        case duplicate
        /// Sends a notification after the next one of its subscription, or after `milliseconds` if there is none.
        case reorder

        /// Whether it gives the answer or closes the connection. Only one such fault applies to a call.
        var endsCall: Bool {
            switch self {
            case .error, .unauthorized, .status, .receiptStatus, .cut, .half, .rateLimit: true
            case .latency, .staleReads, .drop, .delay, .duplicate, .reorder: false
            }
        }

        /// Whether it can apply to verifyReceipt, which has no tokens and no error objects.
        package var isOfVerifyReceipt: Bool {
            switch self {
            case .status, .receiptStatus, .latency, .cut, .half: true
            default: false
            }
        }

        /// Whether it applies to notifications rather than to calls.
        package var isOfNotifications: Bool {
            switch self {
            case .drop, .delay, .duplicate, .reorder: true
            default: false
            }
        }
    }

    /// `f` and a number.
    package var id: String
    /// The effect.
    package var kind: Kind
    /// Only in this environment.
    package var environment: StoreEnvironment?
    /// Only in this app, by its bundle id.
    package var app: String?
    /// Only on this route, by its name; for notifications a type, or a type and subtype.
    package var route: String?
    /// Only for this customer.
    package var customer: String?
    /// The share of matching calls that it hits, 0 to 1; nil is all.
    package var share: Double?
    /// The maximum number of hits; nil is unlimited.
    package var limit: Int?
    /// The end of the fault, in real time.
    package var until: Timestamp?
    /// An error code, an HTTP status or a status of verifyReceipt.
    package var code: Int?
    /// Seconds for the `Retry-After` of an error.
    package var retryAfter: Int?
    /// A duration.
    package var milliseconds: Int?
    /// The maximum of an additional random duration.
    package var spread: Int?
    /// The number of calls that a rate limit allows in an hour.
    package var perHour: Int?
    /// The seed of randomness, so that a run can be repeated.
    package var seed: UInt64

    private enum CodingKeys: String, CodingKey {
        case id, kind, app, route, customer, share, limit, until, code, retryAfter, milliseconds, spread, perHour, seed
        case environment = "realm"
    }

    /// A rule that hits everything of its kind, unless it is restricted further.
    package init(id: String, kind: Kind, seed: UInt64) {
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

/// The hit of a fault on one call or one notification.
package struct FaultHit: Equatable, Sendable {
    /// The rule of the fault.
    package let rule: FaultRule
    /// The delay, including its random part.
    package let milliseconds: Int
}
