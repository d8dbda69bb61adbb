/// What happened, in order. Events are facts for whoever reports them; the ledger rows beside them are the record.
package enum Event: Equatable, Sendable {
    /// A one-time product was sold, or shared with a family member.
    case charged(TransactionID)
    /// A subscription began for the first time in its group.
    case subscribed(TransactionID)
    /// A lapsed subscription began again.
    case resubscribed(TransactionID)
    /// A change of plan took effect at once.
    case upgraded(from: TransactionID, to: TransactionID)
    /// A change of plan was chosen for the next period.
    case planChangeChosen(TransactionID, product: String)
    /// A change of plan that had been chosen was withdrawn.
    case planChangeWithdrawn(TransactionID)
    /// An offer was accepted for the next period of a running subscription.
    case offerRedeemed(TransactionID)
    /// A non-consumable that the customer owns was asked for again: nothing was charged.
    case restored(TransactionID)
    case finished(TransactionID)
    case appAccountTokenSet(TransactionID)
    case refunded(TransactionID)
    case refundReversed(TransactionID)
    /// A family member lost access.
    case familyAccessRevoked(TransactionID)
    /// A family member has access again after a refund was reversed.
    case familyAccessRestored(TransactionID)
    case joinedFamily(AccountID)
    case leftFamily(AccountID)
    case appDownloaded(AccountID)
}
