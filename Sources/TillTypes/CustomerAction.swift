/// An action that is possible now on a transaction or on a subscription.
public enum CustomerAction: String, Codable, CaseIterable, Sendable {
    /// The app finishes the transaction.
    case finish
    /// The whole price is refunded.
    case refund
    /// The price of the unused part of a subscription's period is refunded.
    case refundUnusedPart
    /// The refund is reversed.
    case reverseRefund
    /// The customer requests a refund.
    case requestRefund
    /// The customer's refund request is declined.
    case declineRefund
    /// The customer turns auto-renew off.
    case cancel
    /// The customer turns auto-renew on again.
    case resume
    /// The customer subscribes to the ended subscription's product again.
    case resubscribe
    /// The customer changes to another product of the group, to another billing plan, or redeems an offer.
    case change
    /// The current period is extended free of charge.
    case extend
    /// The customer accepts a price increase.
    case acceptPriceIncrease
    /// The customer declines a price increase, which turns auto-renew off.
    case declinePriceIncrease
    /// The purchaser shares the purchase with the family again.
    case share
    /// The purchaser stops sharing the purchase with the family.
    case stopSharing
}
