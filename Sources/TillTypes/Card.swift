/// The result of charges to a customer's card (docs/api/lifecycle.md, Billing).
public enum Card: String, Codable, CaseIterable, Sendable {
    /// Purchases and renewals succeed.
    case accepted
    /// Renewals fail. The customer's purchases succeed, as if the customer used another payment method for them.
    case declinedForRenewals
    /// Renewals and purchases fail, as with the setting of Apple's sandbox testers.
    case declined
}
