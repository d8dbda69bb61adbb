/// `status` in Apple's responses and payloads (docs/api/subscriptions.md).
public enum SubscriptionStatus: Int, Codable, CaseIterable, Sendable {
    case active = 1
    case expired = 2
    case billingRetry = 3
    case gracePeriod = 4
    case revoked = 5
}

/// `expirationIntent` in the payload: the reason why a subscription expired.
public enum ExpirationIntent: Int, Codable, CaseIterable, Sendable {
    case customer = 1
    case billing = 2
    case priceIncrease = 3
    case productUnavailable = 4
    case other = 5
}
