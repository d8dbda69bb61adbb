import Foundation

/// The payload of a signed transaction (`JWSTransactionDecodedPayload`; docs/api/payloads.md).
public struct TransactionPayload: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The id of this purchase or renewal.
    public let transactionId: String
    /// The id of the first purchase; the same for all renewals of a subscription.
    public let originalTransactionId: String
    /// The bundle id of the app.
    public let bundleId: String
    /// The product.
    public let productId: String
    /// When the customer was charged, or got the purchase from the family.
    public let purchaseDate: Timestamp
    /// When the payload was signed.
    public let signedDate: Timestamp

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        transactionId = try raw.required("transactionId")
        originalTransactionId = try raw.required("originalTransactionId")
        bundleId = try raw.required("bundleId")
        productId = try raw.required("productId")
        purchaseDate = try raw.required("purchaseDate")
        signedDate = try raw.required("signedDate")
    }

    /// The environment of the purchase; nil before version 1.2 of the API.
    public var environment: OpenValue<PayloadEnvironment>? { raw["environment"] }
    /// The type of the product.
    public var type: OpenValue<ProductType>? { raw["type"] }
    /// The purchase date of the original transaction.
    public var originalPurchaseDate: Timestamp? { raw["originalPurchaseDate"] }
    /// The number of units; 1 if the key is absent.
    public var quantity: Int { raw["quantity"] ?? 1 }
    /// Whether the customer bought it, or got it from the family.
    public var inAppOwnershipType: OpenValue<InAppOwnershipType>? { raw["inAppOwnershipType"] }
    /// Whether the customer bought it, or the store renewed it.
    public var transactionReason: OpenValue<TransactionReason>? { raw["transactionReason"] }
    /// The app's UUID for the customer; nil if the app gave none.
    public var appAccountToken: UUID? { raw["appAccountToken"] }
    /// The id of the customer's download of the app.
    public var appTransactionId: String? { raw["appTransactionId"] }
    /// The storefront, as an ISO 3166-1 alpha-3 code.
    public var storefront: String? { raw["storefront"] }
    /// The six digits of the storefront.
    public var storefrontId: String? { raw["storefrontId"] }
    /// The price of all units, in thousandths of the currency, after the discount of an offer.
    public var price: Int64? { raw["price"] }
    /// The ISO 4217 code of the currency.
    public var currency: String? { raw["currency"] }

    // MARK: Subscriptions

    /// The end of the period; only for auto-renewable subscriptions.
    public var expiresDate: Timestamp? { raw["expiresDate"] }
    /// The id of the billing event; only for auto-renewable subscriptions.
    public var webOrderLineItemId: String? { raw["webOrderLineItemId"] }
    /// The subscription group; only for auto-renewable subscriptions.
    public var subscriptionGroupIdentifier: String? { raw["subscriptionGroupIdentifier"] }
    /// Whether the customer upgraded, so that another transaction took the place of this one.
    public var isUpgraded: Bool { raw["isUpgraded"] ?? false }
    /// The kind of the offer of this period.
    public var offerType: OpenValue<OfferType>? { raw["offerType"] }
    /// The id of the offer; nil for an introductory offer.
    public var offerIdentifier: String? { raw["offerIdentifier"] }
    /// The payment mode of the offer.
    public var offerDiscountType: OpenValue<OfferDiscountType>? { raw["offerDiscountType"] }
    /// The length of the offer, as an ISO 8601 duration such as `P1M`.
    public var offerPeriod: String? { raw["offerPeriod"] }
    /// The billing plan.
    public var billingPlanType: OpenValue<BillingPlanType>? { raw["billingPlanType"] }
    /// The commitment of a monthly billing plan.
    public var commitmentInfo: CommitmentInfo? { raw["commitmentInfo"] }
    /// The original transaction before a migration to Advanced Commerce.
    public var previousOriginalTransactionId: String? { raw["previousOriginalTransactionId"] }
    /// The items of a purchase with Advanced Commerce.
    public var advancedCommerceInfo: AdvancedCommerceInfo? { raw["advancedCommerceInfo"] }

    // MARK: Refunds

    /// When the purchase was refunded, or was no longer shared; nil if it is valid.
    public var revocationDate: Timestamp? { raw["revocationDate"] }
    /// Why the purchase was revoked.
    public var revocationReason: OpenValue<RevocationReason>? { raw["revocationReason"] }
    /// A full refund, a part of the price, or the end of sharing.
    public var revocationType: OpenValue<RevocationType>? { raw["revocationType"] }
    /// The refunded part of the price in thousandths of a percent: 100,000 is everything.
    public var revocationPercentage: Int? { raw["revocationPercentage"] }

    // MARK: Signed on a device

    /// The hash that binds the transaction to a device, in base64; only in data that StoreKit signed for a device.
    public var deviceVerification: String? { raw["deviceVerification"] }
    /// The random part of `deviceVerification`.
    public var deviceVerificationNonce: UUID? { raw["deviceVerificationNonce"] }
}

/// The payload of a signed app transaction (`JWSAppTransactionDecodedPayload`; docs/api/payloads.md).
public struct AppTransactionPayload: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The environment of the download.
    public let receiptType: OpenValue<PayloadEnvironment>
    /// The bundle id of the app.
    public let bundleId: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        receiptType = try raw.required("receiptType")
        bundleId = try raw.required("bundleId")
    }

    /// The id of the app in the App Store; nil or 0 in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
    /// The id of the customer's download of the app.
    public var appTransactionId: String? { raw["appTransactionId"] }
    /// The platform of the first download.
    public var originalPlatform: OpenValue<PurchasePlatform>? { raw["originalPlatform"] }
    /// The date of the first download.
    public var originalPurchaseDate: Timestamp? { raw["originalPurchaseDate"] }
    /// The version of the app at the first download; always `1.0` in the sandbox.
    public var originalApplicationVersion: String? { raw["originalApplicationVersion"] }
    /// The date of the customer's pre-order; nil if there was none.
    public var preorderDate: Timestamp? { raw["preorderDate"] }
    /// When the payload was signed.
    public var receiptCreationDate: Timestamp? { raw["receiptCreationDate"] }

    // MARK: Signed on a device

    /// The version of the app; only in data that StoreKit signed for a device.
    public var applicationVersion: String? { raw["applicationVersion"] }
    /// The App Store's id of the version; only in data that StoreKit signed for a device.
    public var versionExternalIdentifier: Int64? { raw["versionExternalIdentifier"] }
    /// The hash that binds the data to a device, in base64.
    public var deviceVerification: String? { raw["deviceVerification"] }
    /// The random part of `deviceVerification`.
    public var deviceVerificationNonce: UUID? { raw["deviceVerificationNonce"] }
    /// When the device requested the data.
    public var requestDate: Timestamp? { raw["requestDate"] }
}

/// `environment` in payloads and answers.
public enum PayloadEnvironment: String, CaseIterable, Sendable {
    /// Real purchases.
    case production = "Production"
    /// The sandbox, and TestFlight.
    case sandbox = "Sandbox"
    /// Signed by Xcode on a developer's machine.
    case xcode = "Xcode"
    /// The test environment of Apple's libraries.
    case localTesting = "LocalTesting"
}

/// The commitment of a subscription that is billed monthly (`commitmentInfo` of a transaction).
public struct CommitmentInfo: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject

    /// A view of an object.
    public init(raw: RawObject) { self.raw = raw }

    /// The number of this billing period, from 1.
    public var billingPeriodNumber: Int? { raw["billingPeriodNumber"] }
    /// The number of billing periods of the commitment.
    public var totalBillingPeriods: Int? { raw["totalBillingPeriods"] }
    /// The end of the commitment.
    public var commitmentExpiresDate: Timestamp? { raw["commitmentExpiresDate"] }
    /// The price of the whole commitment, in thousandths of the currency.
    public var commitmentPrice: Int64? { raw["commitmentPrice"] }
}
