/// What became of a purchase whose refund a customer requests, in version 2 (docs/api/consumption.md).
public struct ConsumptionRequest: Encodable, Sendable {
    /// Whether the purchase was delivered.
    public enum DeliveryStatus: String, Encodable, CaseIterable, Sendable {
        /// Delivered, and it works.
        case delivered = "DELIVERED"
        /// Not usable because of its quality.
        case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        /// Something else was delivered.
        case wrongItem = "UNDELIVERED_WRONG_ITEM"
        /// Not delivered because a server failed.
        case serverOutage = "UNDELIVERED_SERVER_OUTAGE"
        /// Not delivered for another reason.
        case other = "UNDELIVERED_OTHER"
    }

    /// Whether the customer consented to this information being sent. The App Store refuses `false`.
    public var customerConsented: Bool
    /// Whether the purchase was delivered.
    public var deliveryStatus: DeliveryStatus
    /// Whether the customer could try the content before the purchase.
    public var sampleContentProvided: Bool
    /// The used part in thousandths of a percent, from 0 to 100,000; nil for auto-renewable subscriptions.
    public var consumptionPercentage: Int?
    /// The decision that you prefer.
    public var refundPreference: RefundPreference?

    /// Information about a purchase.
    public init(
        customerConsented: Bool,
        deliveryStatus: DeliveryStatus,
        sampleContentProvided: Bool,
        consumptionPercentage: Int? = nil,
        refundPreference: RefundPreference? = nil
    ) {
        (self.customerConsented, self.deliveryStatus) = (customerConsented, deliveryStatus)
        self.sampleContentProvided = sampleContentProvided
        (self.consumptionPercentage, self.refundPreference) = (consumptionPercentage, refundPreference)
    }
}
