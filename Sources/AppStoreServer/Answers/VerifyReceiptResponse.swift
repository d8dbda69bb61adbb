import Foundation

/// The answer of verifyReceipt to a valid receipt (docs/api/receipts/verify-receipt.md).
///
/// The properties have the names of the keys of the App Store Server API. Dates are read from the keys that end in
/// `_ms`; the texts of the other keys are in `raw`.
public struct VerifyReceiptResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// `valid`, or `subscriptionExpired` for an old receipt of a single transaction.
    public let status: OpenValue<ReceiptStatus>

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        status = try raw.required("status")
    }

    /// The environment of the receipt.
    public var environment: OpenValue<PayloadEnvironment>? { raw["environment"] }
    /// The receipt that was sent.
    public var receipt: ReceiptInfo? { raw["receipt"] }
    /// `latest_receipt_info`: the present transactions of the customer, in no certain order.
    public var latestReceiptInfo: [ReceiptTransaction] {
        raw["latest_receipt_info"] ?? raw["latest_expired_receipt_info"] ?? []
    }
    /// `latest_receipt`: a new receipt in base64.
    public var latestReceipt: String? { raw["latest_receipt"] }
    /// `pending_renewal_info`: the renewal of each subscription.
    public var pendingRenewalInfo: [PendingRenewalInfo] { raw["pending_renewal_info"] ?? [] }
    /// `is_retryable`: whether the same request may succeed later.
    public var isRetryable: Bool? { raw["is_retryable"] ?? raw["is-retryable"] }
}

/// `receipt` in an answer of verifyReceipt: the app's part of the receipt that was sent.
public struct ReceiptInfo: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// `Production`, `ProductionSandbox`, and the same with `VPP`.
    public var receiptType: String? { raw["receipt_type"] }
    /// The bundle id of the app; also `bid` in the receipt of a single transaction.
    public var bundleId: String? { raw["bundle_id"] ?? raw["bid"] }
    /// The id of the app in the App Store; 0 in the sandbox.
    public var appItemId: Int64? { raw["app_item_id"] ?? raw["adam_id"] }
    /// The version of the app.
    public var applicationVersion: String? { raw["application_version"] }
    /// The version of the app at the first download; always `1.0` in the sandbox.
    public var originalApplicationVersion: String? { raw["original_application_version"] }
    /// The date of the first download.
    public var originalPurchaseDate: Timestamp? { raw["original_purchase_date_ms"] }
    /// When the receipt was created.
    public var receiptCreationDate: Timestamp? { raw["receipt_creation_date_ms"] }
    /// When verifyReceipt was asked.
    public var requestDate: Timestamp? { raw["request_date_ms"] }
    /// The date of the customer's pre-order.
    public var preorderDate: Timestamp? { raw["preorder_date_ms"] }
    /// The end of a licence that was bought in volume.
    public var expirationDate: Timestamp? { raw["expiration_date_ms"] }
    /// `in_app`: the transactions in the receipt, in no certain order.
    public var inApp: [ReceiptTransaction] { raw["in_app"] ?? [] }
}

/// A transaction in an answer of verifyReceipt.
public struct ReceiptTransaction: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The id of this purchase or renewal.
    public let transactionId: String
    /// The product.
    public let productId: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        transactionId = try raw.required("transaction_id")
        productId = try raw.required("product_id")
    }

    /// The id of the first purchase.
    public var originalTransactionId: String? { raw["original_transaction_id"] }
    /// The number of units; 1 if the key is absent.
    public var quantity: Int { raw["quantity"] ?? 1 }
    /// When the customer was charged.
    public var purchaseDate: Timestamp? { raw["purchase_date_ms"] }
    /// The purchase date of the original transaction.
    public var originalPurchaseDate: Timestamp? { raw["original_purchase_date_ms"] }
    /// The end of the period. In the receipt of a single transaction, `expires_date` itself has milliseconds.
    public var expiresDate: Timestamp? { raw["expires_date_ms"] ?? raw["expires_date"] }
    /// When the purchase was refunded, or was no longer shared.
    public var cancellationDate: Timestamp? { raw["cancellation_date_ms"] }
    /// Why the purchase was revoked.
    public var cancellationReason: OpenValue<RevocationReason>? { raw["cancellation_reason"] }
    /// The id of the billing event; only for auto-renewable subscriptions.
    public var webOrderLineItemId: String? { raw["web_order_line_item_id"] }
    /// The subscription group.
    public var subscriptionGroupIdentifier: String? { raw["subscription_group_identifier"] }
    /// Whether the period is a free trial.
    public var isTrialPeriod: Bool { raw["is_trial_period"] ?? false }
    /// Whether the period has a paid introductory offer.
    public var isInIntroOfferPeriod: Bool { raw["is_in_intro_offer_period"] ?? false }
    /// Whether another transaction took the place of this one.
    public var isUpgraded: Bool { raw["is_upgraded"] ?? false }
    /// The id of a promotional offer.
    public var promotionalOfferId: String? { raw["promotional_offer_id"] }
    /// The name of an offer code.
    public var offerCodeRefName: String? { raw["offer_code_ref_name"] }
    /// Whether the customer bought it, or got it from the family.
    public var inAppOwnershipType: OpenValue<InAppOwnershipType>? { raw["in_app_ownership_type"] }
    /// The app's UUID for the customer.
    public var appAccountToken: UUID? { raw["app_account_token"] }
}

/// An entry of `pending_renewal_info`: the renewal of a subscription.
public struct PendingRenewalInfo: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The product of the present period.
    public let productId: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        productId = try raw.required("product_id")
    }

    /// The subscription.
    public var originalTransactionId: String? { raw["original_transaction_id"] }
    /// The product of the next period.
    public var autoRenewProductId: String? { raw["auto_renew_product_id"] }
    /// Whether the subscription renews.
    public var autoRenewStatus: OpenValue<AutoRenewStatus>? { raw["auto_renew_status"] }
    /// Why the subscription expired.
    public var expirationIntent: OpenValue<ExpirationIntent>? { raw["expiration_intent"] }
    /// Whether the store tries to collect a payment that failed.
    public var isInBillingRetryPeriod: Bool { raw["is_in_billing_retry_period"] ?? false }
    /// The end of the grace period.
    public var gracePeriodExpiresDate: Timestamp? { raw["grace_period_expires_date_ms"] }
    /// The customer's answer to a price increase.
    public var priceIncreaseStatus: OpenValue<PriceIncreaseStatus>? { raw["price_increase_status"] }
    /// The promotional offer of the next renewal.
    public var promotionalOfferId: String? { raw["promotional_offer_id"] }
    /// The offer code of the subscription.
    public var offerCodeRefName: String? { raw["offer_code_ref_name"] }
}
