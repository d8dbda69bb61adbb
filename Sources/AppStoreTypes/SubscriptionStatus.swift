/// `status` in Apple's responses and payloads (docs/api/subscriptions.md).
public enum SubscriptionStatus: Int, Codable, CaseIterable, Sendable {
    /// The subscription is active.
    case active = 1
    /// The subscription has expired.
    case expired = 2
    /// The store tries to collect a payment that failed.
    case billingRetry = 3
    /// The store tries to collect a payment that failed, and the customer keeps access.
    case gracePeriod = 4
    /// The subscription was revoked.
    case revoked = 5
}

/// `expirationIntent` in the payload: the reason why a subscription expired.
public enum ExpirationIntent: Int, Codable, CaseIterable, Sendable {
    /// The customer turned auto-renew off.
    case customer = 1
    /// The payment failed.
    case billing = 2
    /// The customer did not consent to a price increase.
    case priceIncrease = 3
    /// The product was not for sale at the renewal.
    case productUnavailable = 4
    /// Another reason.
    case other = 5
}
