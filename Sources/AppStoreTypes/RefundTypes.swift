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
    case decline = "DECLINE"
    case grantFull = "GRANT_FULL"
    case grantProrated = "GRANT_PRORATED"
}

/// `revocationType` in the payload.
public enum RevocationType: String, Codable, CaseIterable, Sendable {
    case refundFull = "REFUND_FULL"
    case refundProrated = "REFUND_PRORATED"
    case familyRevoke = "FAMILY_REVOKE"
}

/// `revocationReason` in the payload.
public enum RevocationReason: Int, Codable, CaseIterable, Sendable {
    case other = 0
    case issueInApp = 1
}
