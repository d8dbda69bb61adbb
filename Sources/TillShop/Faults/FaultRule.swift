import TillCore

/// A fault that is to happen on demand: what, to whom, how often (docs/operating/faults.md).
package struct FaultRule: Codable, Equatable, Sendable {
    /// What goes wrong.
    package enum Kind: String, Codable, CaseIterable, Sendable {
        /// A documented error of Apple's, by its `code`; with `retryAfter` a header.
        case error
        /// 401 with nothing to go by.
        case unauthorized
        /// A bare HTTP status of 500 and above, by its `code`, without an error object.
        case status
        /// A status of verifyReceipt, by its `code`.
        case receiptStatus
        /// The answer comes `milliseconds` later, and up to `spread` more.
        case latency
        /// The connection ends before an answer.
        case cut
        /// The connection ends in the middle of the answer.
        case half
        /// What was bought within the last `milliseconds` by the wall is not found yet.
        case staleReads
        /// 429 past `perHour` calls an hour; without a number, past Apple's own limits.
        case rateLimit
        /// A notification is lost on the way, and nobody notices.
        case drop
        /// A notification is sent `milliseconds` late by the wall.
        case delay
        /// A notification is posted twice.
        case duplicate
        /// A notification is overtaken by the next of its subscription, or `milliseconds` later by none.
        case reorder

        /// Whether it gives the answer, or ends the connection: the first that strikes a call is the last.
        var endsCall: Bool {
            switch self {
            case .error, .unauthorized, .status, .receiptStatus, .cut, .half, .rateLimit: true
            case .latency, .staleReads, .drop, .delay, .duplicate, .reorder: false
            }
        }

        /// Whether it can happen to a call of verifyReceipt, which has no token and no error objects.
        package var isOfVerifyReceipt: Bool {
            switch self {
            case .status, .receiptStatus, .latency, .cut, .half: true
            default: false
            }
        }

        /// Whether it happens to notifications rather than to calls.
        package var isOfNotifications: Bool {
            switch self {
            case .drop, .delay, .duplicate, .reorder: true
            default: false
            }
        }
    }

    /// `f` and a number.
    package var id: String
    /// What goes wrong.
    package var kind: Kind
    /// Only in this environment.
    package var environment: StoreEnvironment?
    /// Only of this app, a bundle id.
    package var app: String?
    /// Only on this route, by its name; of notifications a type, or a type and subtype.
    package var route: String?
    /// Only of this customer.
    package var customer: String?
    /// How many of the calls that it could strike, 0 to 1; nil is all.
    package var share: Double?
    /// How often at the most; nil is without end.
    package var limit: Int?
    /// Not after this instant, by the wall.
    package var until: Timestamp?
    /// An error code, an HTTP status or a status of verifyReceipt.
    package var code: Int?
    /// Seconds for the `Retry-After` of an error.
    package var retryAfter: Int?
    /// A length of time.
    package var milliseconds: Int?
    /// More time, by chance.
    package var spread: Int?
    /// Calls that a rate limit lets pass in an hour.
    package var perHour: Int?
    /// From which chance is drawn, so that a run can be repeated.
    package var seed: UInt64

    private enum CodingKeys: String, CodingKey {
        case id, kind, app, route, customer, share, limit, until, code, retryAfter, milliseconds, spread, perHour, seed
        case environment = "realm"
    }

    /// A rule that strikes everything of its kind, until more is said.
    package init(id: String, kind: Kind, seed: UInt64) {
        self.id = id
        self.kind = kind
        self.seed = seed
    }

    /// What it does, in a few words, for the request log.
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

/// A fault that strikes one call or one notification.
package struct Strike: Equatable, Sendable {
    /// The rule that strikes.
    package let rule: FaultRule
    /// How long it holds something up, with its part of chance.
    package let milliseconds: Int
}
