/// A subscription of a customer.
public struct SubscriptionInfo: ControlObject {
    /// The subscription group identifier.
    public var subscriptionGroupIdentifier: String
    /// The original transaction id, which identifies the subscription.
    public var originalTransactionId: String
    /// The id of the latest transaction.
    public var transactionId: String
    /// The product of the current period.
    public var productId: String
    /// The ownership: bought by the customer, or shared by a family member.
    public var inAppOwnershipType: InAppOwnershipType
    /// The status: 1 active, 2 expired, 3 billing retry, 4 grace period, 5 revoked.
    public var status: SubscriptionStatus
    /// The status and the next events, in sentences.
    public var summary: String
    /// The end of the latest period, in milliseconds since 1970.
    public var expiresDate: Timestamp
    /// 1 if auto-renew is on, 0 if off.
    public var autoRenewStatus: Int
    /// The product of the next period.
    public var autoRenewProductId: String
    /// The price of the next period in milliunits.
    public var renewalPrice: Int64?
    /// The currency of renewalPrice, as an ISO 4217 code.
    public var currency: String?
    /// The offer identifier of the next period.
    public var offerIdentifier: String?
    /// The billing plan of the next period; present if the product has several plans.
    public var renewalBillingPlanType: BillingPlanType?
    /// The reason why the subscription ended or will end: 1 to 5.
    public var expirationIntent: ExpirationIntent?
    /// The end of the grace period, in milliseconds since 1970.
    public var gracePeriodExpiresDate: Timestamp?
    /// The end of billing retry, in milliseconds since 1970.
    public var billingRetryUntil: Timestamp?
    /// A pending price increase.
    public var priceIncrease: PriceIncreaseInfo?
    /// A commitment of a year with monthly payments.
    public var commitment: CommitmentInfo?
    /// Win-back offers for which the customer is eligible now.
    public var eligibleWinBackOfferIds: [String]?
    /// Whether the customer shares the subscription with the family, if the product can be shared.
    public var isShared: Bool
    /// The actions that are possible now on the subscription; none if a family member shares it.
    public var availableActions: [CustomerAction]

    public init(
        subscriptionGroupIdentifier: String,
        originalTransactionId: String,
        transactionId: String,
        productId: String,
        inAppOwnershipType: InAppOwnershipType,
        status: SubscriptionStatus,
        summary: String,
        expiresDate: Timestamp,
        autoRenewStatus: Int,
        autoRenewProductId: String,
        renewalPrice: Int64? = nil,
        currency: String? = nil,
        offerIdentifier: String? = nil,
        renewalBillingPlanType: BillingPlanType? = nil,
        expirationIntent: ExpirationIntent? = nil,
        gracePeriodExpiresDate: Timestamp? = nil,
        billingRetryUntil: Timestamp? = nil,
        priceIncrease: PriceIncreaseInfo? = nil,
        commitment: CommitmentInfo? = nil,
        eligibleWinBackOfferIds: [String]? = nil,
        isShared: Bool,
        availableActions: [CustomerAction]
    ) {
        self.subscriptionGroupIdentifier = subscriptionGroupIdentifier
        self.originalTransactionId = originalTransactionId
        self.transactionId = transactionId
        self.productId = productId
        self.inAppOwnershipType = inAppOwnershipType
        self.status = status
        self.summary = summary
        self.expiresDate = expiresDate
        self.autoRenewStatus = autoRenewStatus
        self.autoRenewProductId = autoRenewProductId
        self.renewalPrice = renewalPrice
        self.currency = currency
        self.offerIdentifier = offerIdentifier
        self.renewalBillingPlanType = renewalBillingPlanType
        self.expirationIntent = expirationIntent
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.billingRetryUntil = billingRetryUntil
        self.priceIncrease = priceIncrease
        self.commitment = commitment
        self.eligibleWinBackOfferIds = eligibleWinBackOfferIds
        self.isShared = isShared
        self.availableActions = availableActions
    }
}

/// A pending price increase.
public struct PriceIncreaseInfo: ControlObject {
    /// The price of a full period in milliunits.
    public var price: Int64
    /// The currency of the price, as an ISO 4217 code.
    public var currency: String
    /// Whether the price increase needs consent. Without consent the subscription ends.
    public var needsConsent: Bool
    /// The stage of the price increase.
    public var stage: PriceIncreaseState
    /// The date from which renewals have this price, in milliseconds since 1970.
    public var effectiveDate: Timestamp?

    public init(
        price: Int64,
        currency: String,
        needsConsent: Bool,
        stage: PriceIncreaseState,
        effectiveDate: Timestamp? = nil
    ) {
        self.price = price
        self.currency = currency
        self.needsConsent = needsConsent
        self.stage = stage
        self.effectiveDate = effectiveDate
    }
}

/// A commitment of a year with monthly payments.
public struct CommitmentInfo: ControlObject {
    /// The number of the current month in the commitment, from 1.
    public var period: Int
    /// The number of months in the commitment.
    public var periods: Int
    /// The end of the commitment, in milliseconds since 1970.
    public var expiresDate: Timestamp
    /// Whether another commitment follows this one.
    public var renews: Bool

    public init(period: Int, periods: Int, expiresDate: Timestamp, renews: Bool) {
        self.period = period
        self.periods = periods
        self.expiresDate = expiresDate
        self.renews = renews
    }
}
