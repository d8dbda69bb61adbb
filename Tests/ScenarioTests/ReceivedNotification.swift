import TillCore
import TillTestSupport

/// A notification as the developer's server reads it, with Apple's field names and values on every backend.
struct ReceivedNotification: Equatable, Sendable {
    var signedDate: Timestamp
    /// The customer with the `appTransactionId` that the transaction carries.
    var customer: String
    var type: String
    var subtype: String?
    var status: Int?
    var consumptionRequestReason: String?
    var transaction: ReceivedTransaction
    var renewalInfo: ReceivedRenewalInfo?

    /// The type and subtype, such as `SUBSCRIBED INITIAL_BUY`.
    var words: String { type + (subtype.map { " \($0)" } ?? "") }
}

/// A decoded `signedTransactionInfo`, with the fields that scenarios check.
struct ReceivedTransaction: Codable, Equatable, Sendable {
    var transactionId: String
    var originalTransactionId: String
    var webOrderLineItemId: String?
    var productId: String
    var purchaseDate: Timestamp
    var originalPurchaseDate: Timestamp
    var expiresDate: Timestamp?
    var quantity: Int
    var type: String
    var appAccountToken: String?
    var inAppOwnershipType: String
    var transactionReason: String
    var price: Int64?
    var currency: String?
    var offerType: Int?
    var offerIdentifier: String?
    var offerDiscountType: String?
    var offerPeriod: String?
    var isUpgraded: Bool?
    var revocationDate: Timestamp?
    var revocationReason: Int?
    var revocationType: String?
    var revocationPercentage: Int?
    var billingPlanType: String?
    var commitmentInfo: ReceivedCommitment?
}

/// The `commitmentInfo` of a transaction.
struct ReceivedCommitment: Codable, Equatable, Sendable {
    var billingPeriodNumber: Int
    var totalBillingPeriods: Int
    var commitmentExpiresDate: Timestamp
    var commitmentPrice: Int64?
}

/// A decoded `signedRenewalInfo`, with the fields that scenarios check.
struct ReceivedRenewalInfo: Codable, Equatable, Sendable {
    var originalTransactionId: String
    var productId: String
    var autoRenewProductId: String
    var autoRenewStatus: Int
    var renewalPrice: Int64?
    var currency: String?
    var expirationIntent: Int?
    var isInBillingRetryPeriod: Bool?
    var gracePeriodExpiresDate: Timestamp?
    var priceIncreaseStatus: Int?
    var offerType: Int?
    var offerIdentifier: String?
    var offerDiscountType: String?
    var offerPeriod: String?
    var recentSubscriptionStartDate: Timestamp
    var renewalDate: Timestamp
    var eligibleWinBackOfferIds: [String]?
    var appAccountToken: String?
    var renewalBillingPlanType: String?
    var commitmentInfo: ReceivedRenewalCommitment?
}

/// The `commitmentInfo` of renewal info.
struct ReceivedRenewalCommitment: Codable, Equatable, Sendable {
    var commitmentAutoRenewProductId: String
    var commitmentAutoRenewStatus: Int
    var commitmentRenewalBillingPlanType: String
    var commitmentRenewalDate: Timestamp
    var commitmentRenewalPrice: Int64?
}

/// The present state of a subscription, as Get All Subscription Statuses returns it.
struct ReceivedSubscription: Equatable, Sendable {
    var status: Int
    var transaction: ReceivedTransaction
    var renewalInfo: ReceivedRenewalInfo
}
