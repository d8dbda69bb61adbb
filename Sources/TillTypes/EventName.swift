/// An event in a customer's account, which an operation or the passing of time caused.
public enum EventName: String, Codable, CaseIterable, Sendable {
    case charged
    case alreadyOwned
    case subscribed
    case resubscribed
    case renewed
    case recovered
    case upgraded
    case planChangeChosen
    case planChangeWithdrawn
    case offerRedeemed
    case autoRenewEnabled
    case autoRenewDisabled
    case failedToRenew
    case gracePeriodEntered
    case gracePeriodExpired
    case expired
    case priceIncreasePending
    case priceIncreaseAccepted
    case extended
    case extensionFailed
    case finished
    case appAccountTokenSet
    case refundRequested
    case consumptionReported
    case refunded
    case refundDeclined
    case refundReversed
    case familyAccessRevoked
    case familyAccessRestored
    case joinedFamily
    case leftFamily
    case appDownloaded
    case purchaseHeld
    case purchaseDeclined
    case cardChanged
}
