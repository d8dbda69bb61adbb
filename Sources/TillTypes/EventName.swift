/// An event in a customer's account, which an operation or the passing of time caused.
public enum EventName: String, Codable, CaseIterable, Sendable {
    /// A one-time product was bought by the customer, or shared with a family member.
    case charged
    /// The customer bought a non-consumable that they already own. Nothing was charged.
    case alreadyOwned
    /// The customer subscribed to the group for the first time.
    case subscribed
    /// The customer subscribed to the group again after the subscription had expired.
    case resubscribed
    /// The store charged the customer for the next period.
    case renewed
    /// A payment succeeded after an earlier payment for this renewal had failed.
    case recovered
    /// The customer changed to another plan, which began at once.
    case upgraded
    /// The customer chose a change of plan that takes effect at the next renewal.
    case planChangeChosen
    /// The customer withdrew a scheduled change of plan.
    case planChangeWithdrawn
    /// The customer accepted an offer that applies to the next period of an active subscription.
    case offerRedeemed
    /// Auto-renew was turned on.
    case autoRenewEnabled
    /// Auto-renew was turned off.
    case autoRenewDisabled
    /// The payment for a renewal failed, and access ended.
    case failedToRenew
    /// The payment for a renewal failed, and the customer keeps access during the grace period.
    case gracePeriodEntered
    /// The grace period ended without a payment.
    case gracePeriodExpired
    /// The subscription expired.
    case expired
    /// The customer was notified of a price increase that needs consent.
    case priceIncreasePending
    /// The customer agreed to a price increase, or was notified of one that needs no consent.
    case priceIncreaseAccepted
    /// The current period was extended.
    case extended
    /// A mass extension failed for this subscription.
    case extensionFailed
    /// The app finished the transaction.
    case finished
    /// The app account token of the transaction was set or changed.
    case appAccountTokenSet
    /// The customer requested a refund.
    case refundRequested
    /// The developer sent consumption data before the time limit.
    case consumptionReported
    /// The transaction was refunded.
    case refunded
    /// The refund request was declined.
    case refundDeclined
    /// The refund was reversed.
    case refundReversed
    /// A family member lost access.
    case familyAccessRevoked
    /// A family member regained access, because a refund was reversed.
    case familyAccessRestored
    /// An imported copy of a purchase now follows the purchase of a family member.
    case familyCopyLinked
    /// The customer joined the family.
    case joinedFamily
    /// The customer left the family.
    case leftFamily
    /// The customer downloaded the app.
    case appDownloaded
    /// A purchase is on hold until a parent approves it or the customer completes it.
    case purchaseHeld
    /// A purchase on hold was declined.
    case purchaseDeclined
    /// Charges to the customer's card now succeed or fail in another way than before.
    case cardChanged
}
