/// The way in which the customer got access: by a purchase or through the family.
public enum InAppOwnershipType: String, Codable, CaseIterable, Sendable {
    case purchased = "PURCHASED"
    case familyShared = "FAMILY_SHARED"
}

/// The initiator of the transaction.
public enum TransactionReason: String, Codable, CaseIterable, Sendable {
    /// The customer made the purchase.
    case purchase = "PURCHASE"
    /// The store charged for a renewal.
    case renewal = "RENEWAL"
}

/// `type` in the payload: the four types of product.
public enum ProductType: String, Codable, CaseIterable, Sendable {
    case autoRenewable = "Auto-Renewable Subscription"
    case nonRenewing = "Non-Renewing Subscription"
    case consumable = "Consumable"
    case nonConsumable = "Non-Consumable"
}

/// The kind of billing plan: `BILLED_UPFRONT` or `MONTHLY`.
public enum BillingPlanType: String, Codable, CaseIterable, Sendable {
    case billedUpfront = "BILLED_UPFRONT"
    case monthly = "MONTHLY"
}

/// The platform of the first download.
public enum PurchasePlatform: String, Codable, CaseIterable, Sendable {
    case iOS
    case macOS
    case tvOS
    case visionOS
}
