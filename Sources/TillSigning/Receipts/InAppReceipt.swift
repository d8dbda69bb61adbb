/// One purchase in an app receipt (attributes 1701 to 1722 of an attribute 17).
///
/// All dates are milliseconds since 1970, UTC; the encoded form has whole seconds.
/// See docs/api/receipts/app-receipts.md.
package struct InAppReceipt: Sendable, Equatable {
    /// The kinds of product, by their number in attribute 1707.
    package enum Kind: Int64, Sendable {
        case nonConsumable = 0
        case consumable = 1
        case nonRenewing = 2
        case autoRenewable = 3
    }

    /// 1 to 10 (1701).
    package var quantity: Int64
    /// The product (1702).
    package var productID: String
    /// A decimal number (1703).
    package var transactionID: String
    /// When it was charged (1704).
    package var purchaseDate: Int64
    /// A decimal number (1705). Xcode omits it; then it equals ``transactionID``.
    package var originalTransactionID: String
    /// When the original transaction was charged (1706). Xcode omits it; then it equals ``purchaseDate``.
    package var originalPurchaseDate: Int64
    /// The kind of product (1707). Nil when it is missing or unknown.
    package var kind: Kind?
    /// When the subscription's period ends (1708). Nil is encoded as an empty text.
    package var expirationDate: Int64?
    /// The Apple id of the product; 0 in the sandbox (1710).
    package var productAppleID: Int64
    /// The billing event of a subscription (1711). Nil is encoded as 0.
    package var webOrderLineItemID: Int64?
    /// When it was refunded or revoked (1712). Nil is encoded as an empty text.
    package var cancellationDate: Int64?
    /// Whether it is a free trial (1713).
    package var isTrialPeriod: Bool
    /// Whether a paid introductory price applies (1719). Only written for auto-renewables, nil as no; nil when it is
    /// missing.
    package var isInIntroOfferPeriod: Bool?
    /// 1 for an issue with the app, 0 for another reason (1720). Only written with a ``cancellationDate``, nil as 0.
    package var cancellationReason: Int64?
    /// The promotional offer that was used (1721). Nil omits the attribute.
    package var promotionalOfferID: String?

    /// A purchase; the defaults are those of a first purchase of one.
    package init(
        kind: Kind,
        productID: String,
        transactionID: String,
        purchaseDate: Int64,
        originalTransactionID: String? = nil,
        originalPurchaseDate: Int64? = nil
    ) {
        self.kind = kind
        quantity = 1
        self.productID = productID
        self.transactionID = transactionID
        self.purchaseDate = purchaseDate
        self.originalTransactionID = originalTransactionID ?? transactionID
        self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
        expirationDate = nil
        productAppleID = 0
        webOrderLineItemID = nil
        cancellationDate = nil
        isTrialPeriod = false
        isInIntroOfferPeriod = kind == .autoRenewable ? false : nil
        cancellationReason = nil
        promotionalOfferID = nil
    }
}
