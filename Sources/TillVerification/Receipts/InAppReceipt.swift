/// One purchase in an app receipt: attributes 1701 to 1722 within an attribute 17. Each property's comment names its
/// attribute in parentheses.
///
/// All dates are in milliseconds since 1970, UTC; the encoded receipt has whole seconds.
/// See docs/api/receipts/app-receipts.md.
package struct InAppReceipt: Sendable, Equatable {
    /// The product types, with their numbers in attribute 1707.
    package enum Kind: Int64, Sendable {
        case nonConsumable = 0
        case consumable = 1
        case nonRenewing = 2
        case autoRenewable = 3
    }

    /// The quantity: 1 to 10 (1701).
    package var quantity: Int64 = 1
    /// The product identifier (1702).
    package var productID: String
    /// The transaction identifier: a decimal number (1703).
    package var transactionID: String
    /// The date when the transaction was charged (1704).
    package var purchaseDate: Int64
    /// The original transaction identifier: a decimal number (1705). If the receipt does not contain it, as in receipts
    /// from Xcode, it equals ``transactionID``.
    package var originalTransactionID: String
    /// The date when the original transaction was charged (1706). If the receipt does not contain it, as in receipts
    /// from Xcode, it equals ``purchaseDate``.
    package var originalPurchaseDate: Int64
    /// The product type (1707); nil if it is missing or unknown.
    package var kind: Kind?
    /// The date when the subscription's period ends (1708). Nil is encoded as an empty text.
    package var expirationDate: Int64?
    /// The product's Apple ID; 0 in the sandbox (1710).
    package var productAppleID: Int64 = 0
    /// The web order line item id, which identifies a charge of a subscription (1711). Nil is encoded as 0.
    package var webOrderLineItemID: Int64?
    /// The date when the transaction was refunded or revoked (1712). Nil is encoded as an empty text.
    package var cancellationDate: Int64?
    /// Whether the transaction is a free trial (1713).
    package var isTrialPeriod = false
    /// Whether a paid introductory price applies (1719); nil if the attribute is missing. It is encoded only for
    /// auto-renewable subscriptions, nil as false.
    package var isInIntroOfferPeriod: Bool?
    /// The reason for a refund: 1 for an issue with the app, 0 for any other reason (1720). It is encoded only with a
    /// ``cancellationDate``, nil as 0.
    package var cancellationReason: Int64?
    /// The identifier of the promotional offer that was used (1721). Nil omits the attribute.
    package var promotionalOfferID: String?

    /// Creates a purchase. The defaults are those of a first purchase with the quantity 1.
    package init(
        kind: Kind,
        productID: String,
        transactionID: String,
        purchaseDate: Int64,
        originalTransactionID: String? = nil,
        originalPurchaseDate: Int64? = nil
    ) {
        self.kind = kind
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
        self.originalTransactionID = originalTransactionID ?? transactionID
        self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
        isInIntroOfferPeriod = kind == .autoRenewable ? false : nil
    }
}
