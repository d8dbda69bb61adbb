/// A transaction of the ledger: the content of one signed transaction (docs/api/payloads.md).
package struct Transaction: Codable, Equatable, Sendable {
    /// The transaction id. Every purchase and every family member's copy has its own.
    package var id: TransactionID
    /// The id of the first transaction. Renewals, changes of plan and resubscriptions of the same group keep it.
    package var originalID: TransactionID
    package var account: AccountID
    /// The account's change number at the last change of this transaction, which is its position in the history.
    package var change: Int64
    /// `webOrderLineItemId`; only for auto-renewable subscriptions.
    package var lineItem: Int64?
    /// The order; nil for a family member's copy, which costs nothing.
    package var order: OrderID?
    /// `productId` in the payload. A change of plan creates a new transaction.
    package var productID: String
    /// `subscriptionGroupIdentifier`; only for auto-renewable subscriptions.
    package var groupID: String?
    /// The product type at the time of the purchase; `type` in the payload.
    package var type: ProductKind
    /// The purchase date in whole seconds. The payload has milliseconds since 1970.
    package var purchaseDate: Timestamp
    /// The purchase date of the original transaction (`originalID`), in whole seconds.
    package var originalPurchaseDate: Timestamp
    /// The end of the period; only for auto-renewable subscriptions.
    package var expiresDate: Timestamp?
    /// The quantity: 1 to 10 for consumables, otherwise 1.
    package var quantity: Int
    /// The app account token as a lower-case UUID; nil if the app has set none.
    package var appAccountToken: String?
    /// `inAppOwnershipType` in the payload.
    package var ownership: InAppOwnershipType
    /// `transactionReason` in the payload.
    package var reason: TransactionReason
    /// The storefront of the purchase, even if the customer has moved to another storefront since.
    package var storefront: Storefront
    /// The total for the quantity, with the offer applied; nil for a family member's copy.
    package var price: Money?
    /// The offer, which becomes the four `offer…` keys of the payload; nil without an offer.
    package var offer: AppliedOffer?
    /// Whether an upgrade replaced the transaction.
    package var isUpgraded: Bool
    /// The refund or the end of family access; nil if neither happened, or if the refund was reversed.
    package var revocation: Revocation?
    /// The position in the account's refund history; nil unless the transaction is refunded.
    package var refundNumber: Int64?
    /// Whether the app has finished the transaction. No payload contains this value.
    package var isFinished: Bool
    /// The purchaser's transaction, for a family member's copy; nil for a purchase.
    package var sharedFrom: TransactionID?
    /// The instant of the last change of this transaction. A signed payload never has an earlier date.
    package var modifiedDate: Timestamp
    /// `billingPlanType` in the payload; nil if the product has only one billing plan.
    package var billingPlan: BillingPlanType?
    /// `commitmentInfo` in the payload; only for commitments with monthly billing.
    package var commitment: Commitment?
    /// The ids of another server; nil unless the customer was imported.
    package var foreign: ForeignIDs?

    /// A transaction with all its values.
    package init(
        id: TransactionID,
        originalID: TransactionID,
        account: AccountID,
        change: Int64,
        lineItem: Int64?,
        order: OrderID?,
        productID: String,
        groupID: String?,
        type: ProductKind,
        purchaseDate: Timestamp,
        originalPurchaseDate: Timestamp,
        expiresDate: Timestamp?,
        quantity: Int,
        appAccountToken: String?,
        ownership: InAppOwnershipType,
        reason: TransactionReason,
        storefront: Storefront,
        price: Money?,
        offer: AppliedOffer?,
        isUpgraded: Bool,
        revocation: Revocation?,
        refundNumber: Int64?,
        isFinished: Bool,
        sharedFrom: TransactionID?,
        modifiedDate: Timestamp,
        billingPlan: BillingPlanType? = nil,
        commitment: Commitment? = nil
    ) {
        self.id = id
        self.originalID = originalID
        self.account = account
        self.change = change
        self.lineItem = lineItem
        self.order = order
        self.productID = productID
        self.groupID = groupID
        self.type = type
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expiresDate = expiresDate
        self.quantity = quantity
        self.appAccountToken = appAccountToken
        self.ownership = ownership
        self.reason = reason
        self.storefront = storefront
        self.price = price
        self.offer = offer
        self.isUpgraded = isUpgraded
        self.revocation = revocation
        self.refundNumber = refundNumber
        self.isFinished = isFinished
        self.sharedFrom = sharedFrom
        self.modifiedDate = modifiedDate
        self.billingPlan = billingPlan
        self.commitment = commitment
    }

    /// Whether this transaction is the original transaction.
    package var isOriginal: Bool { id == originalID }
}

/// A refund, or the end of family access.
package struct Revocation: Codable, Equatable, Sendable {
    /// `revocationDate` in the payload, in whole seconds.
    package var date: Timestamp
    /// `revocationReason`. A family member's copy has the reason of the refund, or 0 if family sharing ended.
    package var reason: RevocationReason
    /// A full refund, a partial refund, or the end of family access.
    package var kind: RevocationType
    /// The refunded share in thousandths of a percent, 0 to 100,000; nil for the end of family access.
    package var percentage: Int?

    /// A revocation with its date, reason, kind and share.
    package init(date: Timestamp, reason: RevocationReason, kind: RevocationType, percentage: Int?) {
        self.date = date
        self.reason = reason
        self.kind = kind
        self.percentage = percentage
    }
}
