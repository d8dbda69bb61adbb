/// One purchase in an app receipt (attributes 1701 to 1722 of an attribute 17).
///
/// All dates are milliseconds since 1970, UTC, and whole seconds in the bytes. See docs/api/app-receipts.md.
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
    /// A decimal number (1705). Xcode leaves it out; then it reads as ``transactionID``.
    package var originalTransactionID: String
    /// When the original transaction was charged (1706). Xcode leaves it out; then it reads as ``purchaseDate``.
    package var originalPurchaseDate: Int64
    /// What was bought (1707). Nil when the bytes lack it or hold a number that is none of the kinds.
    package var kind: Kind?
    /// When the subscription's period ends (1708). Nil is an empty text in the bytes.
    package var expirationDate: Int64?
    /// The Apple id of the product; 0 in the sandbox (1710).
    package var productAppleID: Int64
    /// The billing event of a subscription (1711). Nil is 0 in the bytes.
    package var webOrderLineItemID: Int64?
    /// When it was refunded or revoked (1712). Nil is an empty text in the bytes.
    package var cancellationDate: Int64?
    /// A free period (1713).
    package var isTrialPeriod: Bool
    /// An introductory price that is paid (1719). Written of auto-renewables alone, nil as no; nil when the bytes
    /// lack it.
    package var isInIntroOfferPeriod: Bool?
    /// 1 an issue with the app, 0 another reason (1720). Written only beside a ``cancellationDate``, nil as 0.
    package var cancellationReason: Int64?
    /// The promotional offer that was used (1721). Nil leaves the attribute out.
    package var promotionalOfferID: String?

    /// A first purchase of one, unless more is said.
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
