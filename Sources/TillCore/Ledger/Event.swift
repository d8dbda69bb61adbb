/// Everything that can happen in a ledger. Events describe completed changes, and the ledger transactions hold the
/// data. `notice` has the notification of an event, if there is one.
package enum Event: Equatable, Sendable {
    /// A one-time product was bought by the customer, or shared with a family member.
    case charged(TransactionID)
    /// The customer bought a non-consumable that they already own. The store charged nothing and returned the existing
    /// purchase.
    case alreadyOwned(TransactionID)
    /// The customer subscribed to the group for the first time.
    case subscribed(TransactionID)
    /// The customer subscribed to the group again after the subscription had expired.
    case resubscribed(TransactionID)
    /// The store charged the customer for the next period.
    case renewed(TransactionID)
    /// A payment succeeded after an earlier payment for this renewal had failed (billing recovery).
    case recovered(TransactionID)
    /// The customer changed to another plan, which began at once.
    case upgraded(from: TransactionID, to: TransactionID, withOffer: Bool)
    /// The customer chose a change of plan that takes effect at the next renewal.
    case planChangeChosen(TransactionID, product: String, withOffer: Bool)
    /// The customer withdrew a scheduled change of plan.
    case planChangeWithdrawn(TransactionID)
    /// The customer accepted an offer that applies to the next period of an active subscription.
    case offerRedeemed(TransactionID)
    case autoRenewEnabled(TransactionID)
    case autoRenewDisabled(TransactionID)
    /// The payment for a renewal failed, and access ended.
    case failedToRenew(TransactionID)
    /// The payment for a renewal failed, and the customer keeps access during the grace period.
    case gracePeriodEntered(TransactionID)
    case gracePeriodExpired(TransactionID)
    case expired(TransactionID, ExpirationIntent)
    /// The store notified the customer of a price increase that needs the customer's consent.
    case priceIncreasePending(TransactionID)
    /// The customer agreed to a price increase, or was notified of an increase that needs no consent.
    case priceIncreaseAccepted(TransactionID)
    /// The current period was extended.
    case extended(TransactionID)
    /// A mass extension failed for this subscription.
    case extensionFailed(TransactionID)
    case finished(TransactionID)
    case appAccountTokenSet(TransactionID)
    /// The customer requested a refund. `asksForData`: the product type is one for which Apple requests consumption
    /// data.
    case refundRequested(TransactionID, ConsumptionRequestReason, asksForData: Bool)
    /// The developer sent consumption data before the time limit.
    case consumptionReported(TransactionID)
    case refunded(TransactionID)
    case refundDeclined(TransactionID)
    case refundReversed(TransactionID)
    /// A family member lost access.
    case familyAccessRevoked(TransactionID)
    /// A family member regained access, because a refund was reversed.
    case familyAccessRestored(TransactionID)
    /// An imported copy of a purchase now follows the purchase of a family member.
    case familyCopyLinked(TransactionID)
    case joinedFamily(AccountID)
    case leftFamily(AccountID)
    case appDownloaded(AccountID)
    /// A purchase is on hold until a parent approves it or the customer completes it.
    case purchaseHeld(AccountID, number: Int64)
    case purchaseDeclined(AccountID, number: Int64)
    /// Charges to the customer's card now succeed or fail in another way than before.
    case cardChanged(AccountID)
}

extension Event {
    /// The transaction that the event is about; nil if there is none.
    package var transaction: TransactionID? {
        switch self {
        case .charged(let id), .alreadyOwned(let id), .subscribed(let id), .resubscribed(let id), .renewed(let id),
            .recovered(let id), .upgraded(_, let id, _), .planChangeChosen(let id, _, _), .planChangeWithdrawn(let id),
            .offerRedeemed(let id), .autoRenewEnabled(let id), .autoRenewDisabled(let id), .failedToRenew(let id),
            .gracePeriodEntered(let id), .gracePeriodExpired(let id), .expired(let id, _),
            .priceIncreasePending(let id), .priceIncreaseAccepted(let id), .extended(let id), .extensionFailed(let id),
            .finished(let id), .appAccountTokenSet(let id), .refundRequested(let id, _, _),
            .consumptionReported(let id),
            .refunded(let id), .refundDeclined(let id), .refundReversed(let id), .familyAccessRevoked(let id),
            .familyAccessRestored(let id), .familyCopyLinked(let id):
            id
        case .joinedFamily, .leftFamily, .appDownloaded, .purchaseHeld, .purchaseDeclined, .cardChanged:
            nil
        }
    }

    /// The notification that this event sends to the developer's server; nil if it sends none
    /// (docs/api/notifications.md).
    package var notice: Notice? {
        switch self {
        case .charged: Notice(.oneTimeCharge)
        case .subscribed: Notice(.subscribed, .initialBuy)
        case .resubscribed: Notice(.subscribed, .resubscribe)
        case .renewed: Notice(.didRenew)
        case .recovered: Notice(.didRenew, .billingRecovery)
        case .upgraded(_, _, let withOffer): Notice(withOffer ? .offerRedeemed : .didChangeRenewalPref, .upgrade)
        case .planChangeChosen(_, _, let withOffer):
            Notice(withOffer ? .offerRedeemed : .didChangeRenewalPref, .downgrade)
        case .planChangeWithdrawn: Notice(.didChangeRenewalPref)
        case .offerRedeemed: Notice(.offerRedeemed)
        case .autoRenewEnabled: Notice(.didChangeRenewalStatus, .autoRenewEnabled)
        case .autoRenewDisabled: Notice(.didChangeRenewalStatus, .autoRenewDisabled)
        case .failedToRenew: Notice(.didFailToRenew)
        case .gracePeriodEntered: Notice(.didFailToRenew, .gracePeriod)
        case .gracePeriodExpired: Notice(.gracePeriodExpired)
        case .expired(_, let intent): Notice(.expired, intent.subtype)
        case .priceIncreasePending: Notice(.priceIncrease, .pending)
        case .priceIncreaseAccepted: Notice(.priceIncrease, .accepted)
        case .extended: Notice(.renewalExtended)
        case .extensionFailed: Notice(.renewalExtension, .failure)
        case .refundRequested(_, _, let asksForData): asksForData ? Notice(.consumptionRequest) : nil
        case .refunded: Notice(.refund)
        case .refundDeclined: Notice(.refundDeclined)
        case .refundReversed, .familyAccessRestored: Notice(.refundReversed)
        case .familyAccessRevoked: Notice(.revoke)
        case .alreadyOwned, .finished, .appAccountTokenSet, .consumptionReported, .familyCopyLinked, .joinedFamily,
            .leftFamily, .appDownloaded, .purchaseHeld, .purchaseDeclined, .cardChanged:
            nil
        }
    }
}

/// A notification type with its subtype.
package struct Notice: Hashable, Sendable {
    /// `notificationType`.
    package let type: NotificationType
    /// `subtype`; nil for a type without one.
    package let subtype: NotificationSubtype?

    /// A type with its subtype. The rules use only the valid combinations (`NotificationType.subtypes`).
    package init(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// The type and subtype as text, such as `SUBSCRIBED/INITIAL_BUY` or `DID_RENEW`.
    package var words: String { type.rawValue + (subtype.map { "/\($0.rawValue)" } ?? "") }

    /// Every type, and every type with each of its subtypes, as text. A filter for a type without a subtype matches all
    /// of its subtypes.
    package static let filters = NotificationType.allCases.flatMap { type in
        [type.rawValue] + type.subtypes.compactMap(\.self).map { Notice(type, $0).words }
    }
}

extension ExpirationIntent {
    /// The subtype of the `EXPIRED` notification for this reason; nil if Apple defines none.
    var subtype: NotificationSubtype? {
        switch self {
        case .customer: .voluntary
        case .billing: .billingRetry
        case .priceIncrease: .priceIncrease
        case .productUnavailable: .productNotForSale
        case .other: nil
        }
    }
}
