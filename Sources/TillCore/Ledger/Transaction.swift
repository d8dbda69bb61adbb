/// A row of the ledger: what one signed transaction says (docs/api/payloads.md).
package struct Transaction: Codable, Equatable, Sendable {
    /// New for every purchase and for every family member's copy.
    package var id: TransactionID
    /// The id of the first purchase; constant through a group's renewals, changes of plan and resubscriptions.
    package var originalID: TransactionID
    package var account: AccountID
    /// The account's change number at which the row took its present form: its place in the history.
    package var change: Int64
    /// Only for auto-renewables.
    package var lineItem: Int64?
    /// Nil for a family member's copy, for which nobody was charged.
    package var order: OrderID?
    /// `productId` on the wire; a change of plan makes a row of its own.
    package var productID: String
    /// Only for auto-renewables.
    package var groupID: String?
    /// As the catalogue had it at the purchase; on the wire by its `wireName`.
    package var type: ProductType
    /// In whole seconds; the wire counts milliseconds since 1970.
    package var purchaseDate: Timestamp
    /// The purchase date of the row that `originalID` names, in whole seconds.
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
    /// Where it was bought, whatever storefront the customer has now.
    package var storefront: Storefront
    /// The total for the quantity after the offer; nil for family copies.
    package var price: Money?
    /// Nil without an offer; else the four `offer…` keys of the payload.
    package var offer: AppliedOffer?
    /// Superseded by an upgrade.
    package var isUpgraded: Bool
    /// Nil unless refunded or taken from the family; a reversed refund makes it nil again.
    package var revocation: Revocation?
    /// The refund's place in the account's refund history; only while refunded.
    package var refundNumber: Int64?
    /// Finished by the app. Not part of any payload.
    package var isFinished: Bool
    /// For a family member's copy: the purchaser's transaction.
    package var sharedFrom: TransactionID?
    /// When the row took its present form; signatures are never dated earlier.
    package var modifiedDate: Timestamp
    /// `billingPlanType` on the wire; nil where the product leaves no choice.
    package var billingPlan: BillingPlan.Kind?
    /// `commitmentInfo` on the wire; only for a plan that is billed monthly.
    package var commitment: Commitment?

    /// A row with all its parts.
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

    /// Whether the row is the first of its original id.
    package var isOriginal: Bool { id == originalID }
}

/// How the customer came by it.
package enum Ownership: String, Codable, CaseIterable, Sendable {
    case purchased = "PURCHASED"
    case familyShared = "FAMILY_SHARED"
}

/// Who acted.
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
    /// A family's copy takes the reason of the refund; where sharing itself ends, it is 0.
    package var reason: RevocationReason
    /// Tells a refund, all or in part, from the end of family access.
    package var kind: Kind
    /// Thousandths of a percent that were refunded, 0 to 100,000; nil for the end of family access.
    package var percentage: Int?

    /// What the revocation keys will say.
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
