/// The kind of event.
public enum UpcomingEventKind: String, Codable, CaseIterable, Sendable {
    /// The customer is notified of a price increase.
    case priceNotice = "PRICE_NOTICE"
    /// The store charges the customer for a period.
    case renewal = "RENEWAL"
    /// The period ends, and the subscription expires or its renewal fails.
    case endOfPeriod = "END_OF_PERIOD"
    case endOfGrace = "END_OF_GRACE"
    case endOfRetry = "END_OF_RETRY"
    /// The store decides on a refund request.
    case refundDecision = "REFUND_DECISION"
}
