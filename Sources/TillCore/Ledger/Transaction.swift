/// A transaction of the ledger: the content of one signed transaction (docs/api/payloads.md).
package struct Transaction: Codable, Equatable, Sendable {
    /// New for every purchase and for every family member's copy.
    package var id: TransactionID
    /// The id of the first purchase; constant through a group's renewals, changes of plan and resubscriptions.
    package var originalID: TransactionID
    package var account: AccountID
    /// The account's change number when the transaction got its present form: its position in the history.
    package var change: Int64
    /// Only for auto-renewables.
    package var lineItem: Int64?
    /// Nil for a family member's copy, which has no charge.
    package var order: OrderID?
    /// `productId` on the wire; a change of plan makes a new transaction.
    package var productID: String
    /// Only for auto-renewables.
    package var groupID: String?
    /// The type at the time of the purchase; `wireName` on the wire.
    package var type: ProductType
    /// In whole seconds; the wire counts milliseconds since 1970.
    package var purchaseDate: Timestamp
    /// The purchase date of the transaction that `originalID` names, in whole seconds.
    package var originalPurchaseDate: Timestamp
    /// Only for auto-renewables.
    package var expiresDate: Timestamp?
    /// 1 to 10 for consumables, 1 for everything else.
    package var quantity: Int
    /// Lower-case UUID text.
    package var appAccountToken: String?
    /// `inAppOwnershipType` on the wire.
    package var ownership: Ownership
    /// `transactionReason` on the wire.
    package var reason: TransactionReason
    /// Where it was bought, even if the customer has moved since.
    package var storefront: Storefront
    /// The total for the quantity after the offer; nil for family copies.
    package var price: Money?
    /// Nil without an offer; otherwise the four `offer…` keys of the payload.
    package var offer: AppliedOffer?
    /// Superseded by an upgrade.
    package var isUpgraded: Bool
    /// Nil unless refunded or withdrawn from the family; a reversed refund sets it to nil again.
    package var revocation: Revocation?
    /// The position in the account's refund history; only while refunded.
    package var refundNumber: Int64?
    /// Finished by the app. In no payload.
    package var isFinished: Bool
    /// For a family member's copy: the purchaser's transaction.
    package var sharedFrom: TransactionID?
    /// When the transaction got its present form; signatures are never dated earlier.
    package var modifiedDate: Timestamp
    /// `billingPlanType` on the wire; nil where the product has only one way.
    package var billingPlan: BillingPlan.Kind?
    /// `commitmentInfo` on the wire; only for plans with monthly billing.
    package var commitment: Commitment?

    /// A transaction with all its parts.
    package init(
        id: TransactionID,
        originalID: TransactionID,
        account: AccountID,
        change: Int64,
        lineItem: Int64?,
        order: OrderID?,
        productID: String,
        groupID: String?,
        type: ProductType,
        purchaseDate: Timestamp,
        originalPurchaseDate: Timestamp,
        expiresDate: Timestamp?,
        quantity: Int,
        appAccountToken: String?,
        ownership: Ownership,
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
        billingPlan: BillingPlan.Kind? = nil,
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

    /// Whether the transaction is the first of its original id.
    package var isOriginal: Bool { id == originalID }
}

/// How the customer got it.
package enum Ownership: String, Codable, CaseIterable, Sendable {
    case purchased = "PURCHASED"
    case familyShared = "FAMILY_SHARED"
}

/// Who caused the transaction.
package enum TransactionReason: String, Codable, Sendable {
    /// The customer.
    case purchase = "PURCHASE"
    /// The store.
    case renewal = "RENEWAL"
}

/// A refund, or the end of family access.
package struct Revocation: Codable, Equatable, Sendable {
    /// `revocationType` on the wire.
    package enum Kind: String, Codable, Sendable {
        case refundFull = "REFUND_FULL"
        case refundProrated = "REFUND_PRORATED"
        case familyRevoke = "FAMILY_REVOKE"
    }

    /// `revocationDate` on the wire, in whole seconds.
    package var date: Timestamp
    /// A family's copy has the reason of the refund; 0 where the sharing itself ends.
    package var reason: RevocationReason
    /// A full refund, a partial refund, or the end of family access.
    package var kind: Kind
    /// Thousandths of a percent that were refunded, 0 to 100,000; nil for the end of family access.
    package var percentage: Int?

    /// The values of the revocation keys.
    package init(date: Timestamp, reason: RevocationReason, kind: Kind, percentage: Int?) {
        self.date = date
        self.reason = reason
        self.kind = kind
        self.percentage = percentage
    }
}

/// `revocationReason` on the wire.
package enum RevocationReason: Int, Codable, Sendable {
    case other = 0
    case issueInApp = 1
}
