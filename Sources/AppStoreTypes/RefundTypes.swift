/// `consumptionRequestReason`: the reason why a customer requests a refund.
public enum ConsumptionRequestReason: String, Codable, CaseIterable, Sendable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
}

/// The developer's preferred decision (`refundPreference`).
public enum RefundPreference: String, Codable, CaseIterable, Sendable {
    /// The developer prefers no refund.
    case decline = "DECLINE"
    /// The developer prefers a full refund.
    case grantFull = "GRANT_FULL"
    /// The developer prefers a refund of the unused part.
    case grantProrated = "GRANT_PRORATED"
}

/// `revocationType` in the payload.
public enum RevocationType: String, Codable, CaseIterable, Sendable {
    /// A full refund.
    case refundFull = "REFUND_FULL"
    /// A refund of a part of the price.
    case refundProrated = "REFUND_PRORATED"
    /// The purchase is no longer shared with the family member.
    case familyRevoke = "FAMILY_REVOKE"
}

/// `revocationReason` in the payload.
public enum RevocationReason: Int, Codable, CaseIterable, Sendable {
    /// Another reason.
    case other = 0
    /// An actual or perceived issue in the app.
    case issueInApp = 1
}
