/// What happened, in order. Events are facts; the ledger transactions are the record, and `notice` says which notification, if
/// any, an event causes.
package enum Event: Equatable, Sendable {
    /// A one-time product was bought, or shared with a family member.
    case charged(TransactionID)
    /// The customer bought a non-consumable that they own: nothing was charged, and the existing purchase is returned.
    case alreadyOwned(TransactionID)
    /// A subscription began for the first time in its group.
    case subscribed(TransactionID)
    /// An expired subscription began again.
    case resubscribed(TransactionID)
    /// The store charged for the next period.
    case renewed(TransactionID)
    /// A payment succeeded after one had failed.
    case recovered(TransactionID)
    /// A change of plan took effect at once.
    case upgraded(from: TransactionID, to: TransactionID, withOffer: Bool)
    /// A change of plan was chosen for the next period.
    case planChangeChosen(TransactionID, product: String, withOffer: Bool)
    /// A change of plan that had been chosen was withdrawn.
    case planChangeWithdrawn(TransactionID)
    /// An offer was accepted for the next period of a running subscription.
    case offerRedeemed(TransactionID)
    case autoRenewEnabled(TransactionID)
    case autoRenewDisabled(TransactionID)
    /// A renewal could not be charged, and access ended.
    case failedToRenew(TransactionID)
    /// A renewal could not be charged, and access continues for a while.
    case gracePeriodEntered(TransactionID)
    case gracePeriodExpired(TransactionID)
    case expired(TransactionID, ExpirationIntent)
    /// The customer was notified of a higher price and must agree to it.
    case priceIncreasePending(TransactionID)
    /// The customer agreed to a higher price, or was notified of one that needs no consent.
    case priceIncreaseAccepted(TransactionID)
    /// The end of the current period was moved.
    case extended(TransactionID)
    /// A mass extension failed for this subscription.
    case extensionFailed(TransactionID)
    case finished(TransactionID)
    case appAccountTokenSet(TransactionID)
    /// The customer requested a refund; for some product types the developer is asked for consumption data.
    case refundRequested(TransactionID, ConsumptionRequestReason, asksForData: Bool)
    /// The developer sent consumption data in time.
    case consumptionReported(TransactionID)
    case refunded(TransactionID)
    case refundDeclined(TransactionID)
    case refundReversed(TransactionID)
    /// A family member lost access.
    case familyAccessRevoked(TransactionID)
    /// A family member has access again after a refund was reversed.
    case familyAccessRestored(TransactionID)
    case joinedFamily(AccountID)
    case leftFamily(AccountID)
    case appDownloaded(AccountID)
    /// A purchase waits for a parent's approval, or for the customer to complete it.
    case purchaseHeld(AccountID, number: Int64)
    case purchaseDeclined(AccountID, number: Int64)
    /// The customer's card behaves differently from now on.
    case cardChanged(AccountID)
}

extension Event {
    /// The transaction of the event, if there is one.
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
            .familyAccessRestored(let id):
            id
        case .joinedFamily, .leftFamily, .appDownloaded, .purchaseHeld, .purchaseDeclined, .cardChanged:
            nil
        }
    }

    /// The notification for the developer's server: exactly one, or none (docs/api/notifications.md).
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
        case .alreadyOwned, .finished, .appAccountTokenSet, .consumptionReported, .joinedFamily,
            .leftFamily,
            .appDownloaded, .purchaseHeld, .purchaseDeclined, .cardChanged:
            nil
        }
    }
}

/// A type and a subtype that belong together.
package struct Notice: Hashable, Sendable {
    /// `notificationType`.
    package let type: NotificationType
    /// `subtype`; nil for a type without one.
    package let subtype: NotificationSubtype?

    /// A pair; the rules only use pairs of the table.
    package init(_ type: NotificationType, _ subtype: NotificationSubtype? = nil) {
        self.type = type
        self.subtype = subtype
    }

    /// As text: `SUBSCRIBED/INITIAL_BUY`, `DID_RENEW`.
    package var words: String { type.rawValue + (subtype.map { "/\($0.rawValue)" } ?? "") }
}

extension ExpirationIntent {
    /// The subtype of `EXPIRED` for this reason; nil for all others.
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
