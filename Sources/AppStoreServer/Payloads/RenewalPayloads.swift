import Foundation

/// The payload of signed renewal information (`JWSRenewalInfoDecodedPayload`; docs/api/payloads.md).
public struct RenewalInfoPayload: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The subscription.
    public let originalTransactionId: String
    /// Whether the subscription renews at the end of the period.
    public let autoRenewStatus: OpenValue<AutoRenewStatus>
    /// When the payload was signed.
    public let signedDate: Timestamp

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        originalTransactionId = try raw.required("originalTransactionId")
        autoRenewStatus = try raw.required("autoRenewStatus")
        signedDate = try raw.required("signedDate")
    }

    /// The environment of the subscription; nil before version 1.2 of the API.
    public var environment: OpenValue<PayloadEnvironment>? { raw["environment"] }
    /// The product of the present period.
    public var productId: String? { raw["productId"] }
    /// The product of the next period.
    public var autoRenewProductId: String? { raw["autoRenewProductId"] }
    /// The start of the latest run of the subscription without a longer gap.
    public var recentSubscriptionStartDate: Timestamp? { raw["recentSubscriptionStartDate"] }
    /// The date of the next renewal; in the past for an expired subscription.
    public var renewalDate: Timestamp? { raw["renewalDate"] }
    /// The price of the next renewal, in thousandths of the currency.
    public var renewalPrice: Int64? { raw["renewalPrice"] }
    /// The ISO 4217 code of the currency.
    public var currency: String? { raw["currency"] }
    /// Why the subscription expired; nil if it did not.
    public var expirationIntent: OpenValue<ExpirationIntent>? { raw["expirationIntent"] }
    /// Whether the store tries to collect a payment that failed.
    public var isInBillingRetryPeriod: Bool { raw["isInBillingRetryPeriod"] ?? false }
    /// The end of the grace period; nil if there is none.
    public var gracePeriodExpiresDate: Timestamp? { raw["gracePeriodExpiresDate"] }
    /// The customer's answer to a price increase; nil if none is pending.
    public var priceIncreaseStatus: OpenValue<PriceIncreaseStatus>? { raw["priceIncreaseStatus"] }
    /// The kind of the offer of the next renewal.
    public var offerType: OpenValue<OfferType>? { raw["offerType"] }
    /// The id of the offer of the next renewal.
    public var offerIdentifier: String? { raw["offerIdentifier"] }
    /// The payment mode of the offer of the next renewal.
    public var offerDiscountType: OpenValue<OfferDiscountType>? { raw["offerDiscountType"] }
    /// The length of the offer of the next renewal, as an ISO 8601 duration.
    public var offerPeriod: String? { raw["offerPeriod"] }
    /// The win-back offers for the customer, the best first.
    public var eligibleWinBackOfferIds: [String] { raw["eligibleWinBackOfferIds"] ?? [] }
    /// The app's UUID for the next renewal.
    public var appAccountToken: UUID? { raw["appAccountToken"] }
    /// The id of the customer's download of the app.
    public var appTransactionId: String? { raw["appTransactionId"] }
    /// The billing plan of the next renewal.
    public var renewalBillingPlanType: OpenValue<BillingPlanType>? { raw["renewalBillingPlanType"] }
    /// The commitment after the present one.
    public var commitmentInfo: RenewalCommitmentInfo? { raw["commitmentInfo"] }
    /// The items of a subscription with Advanced Commerce.
    public var advancedCommerceInfo: AdvancedCommerceInfo? { raw["advancedCommerceInfo"] }
}

/// `autoRenewStatus`: whether a subscription renews.
public enum AutoRenewStatus: Int, CaseIterable, Sendable {
    /// It ends with the period.
    case off = 0
    /// It renews.
    case on = 1
}

/// `priceIncreaseStatus`: the customer's answer to a price increase.
public enum PriceIncreaseStatus: Int, CaseIterable, Sendable {
    /// The customer has not answered.
    case pending = 0
    /// The customer consented, or was notified of an increase that needs no consent.
    case accepted = 1
}

/// The renewal of a commitment (`commitmentInfo` of renewal information).
public struct RenewalCommitmentInfo: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The product of the next commitment.
    public var commitmentAutoRenewProductId: String? { raw["commitmentAutoRenewProductId"] }
    /// Whether the commitment renews.
    public var commitmentAutoRenewStatus: OpenValue<AutoRenewStatus>? { raw["commitmentAutoRenewStatus"] }
    /// The billing plan of the next commitment.
    public var commitmentRenewalBillingPlanType: OpenValue<BillingPlanType>? {
        raw["commitmentRenewalBillingPlanType"]
    }
    /// The date on which the commitment renews.
    public var commitmentRenewalDate: Timestamp? { raw["commitmentRenewalDate"] }
    /// The price of the next commitment, in thousandths of the currency.
    public var commitmentRenewalPrice: Int64? { raw["commitmentRenewalPrice"] }
}
