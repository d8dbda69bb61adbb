import TillCore

/// The values of `notification_type` in version 1 (docs/api/notifications-v1.md).
package enum VersionOneType: String, CaseIterable, Sendable {
    case initialBuy = "INITIAL_BUY"
    case didRenew = "DID_RENEW"
    case interactiveRenewal = "INTERACTIVE_RENEWAL"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case didRecover = "DID_RECOVER"
    case cancel = "CANCEL"
    case refund = "REFUND"
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case priceIncreaseConsent = "PRICE_INCREASE_CONSENT"
    case revoke = "REVOKE"

    /// Whether Apple's sandbox sends the type.
    var isInSandbox: Bool {
        switch self {
        case .didFailToRenew, .didRecover, .consumptionRequest, .priceIncreaseConsent, .revoke: false
        default: true
        }
    }

    /// Whether notifications of the type are only about the purchaser's transactions, never about a family member's.
    private var isOfPurchaserOnly: Bool {
        switch self {
        case .cancel, .initialBuy, .priceIncreaseConsent, .refund, .consumptionRequest: true
        default: false
        }
    }

    /// The version 1 types for a version 2 notification, in the order in which they are sent; often none.
    ///
    /// - Parameters:
    ///   - earlier: the subscription's transaction before the transaction in the notification; nil if there is none.
    ///   - isLatest: whether the notification's transaction is the latest transaction of its subscription.
    static func types(for notification: Notification, after earlier: Transaction?, isLatest: Bool) -> [VersionOneType] {
        let row = notification.transaction
        let types: [VersionOneType]
        switch (notification.type, notification.subtype) {
        case (.subscribed, .initialBuy): types = [.initialBuy]
        case (.subscribed, _):
            types =
                earlier?.productID == row.productID
                ? [.didChangeRenewalStatus] : [.interactiveRenewal, .didChangeRenewalStatus]
        case (.didRenew, nil): types = [.didRenew]
        case (.didRenew, _): types = [.didRecover]
        case (.offerRedeemed, .upgrade), (.didChangeRenewalPref, .upgrade):
            types = [.didChangeRenewalStatus, .interactiveRenewal]
        case (.offerRedeemed, .downgrade), (.didChangeRenewalPref, _): types = [.didChangeRenewalPref]
        case (.didChangeRenewalStatus, _): types = [.didChangeRenewalStatus]
        case (.didFailToRenew, _): types = [.didFailToRenew]
        // In these cases the App Store turned off auto-renew. If the customer turned it off, an earlier notification
        // reported that.
        case (.expired, .billingRetry), (.expired, .priceIncrease), (.expired, .productNotForSale):
            types = [.didChangeRenewalStatus]
        case (.priceIncrease, .pending): types = [.priceIncreaseConsent]
        case (.consumptionRequest, _): types = row.type == .consumable ? [.consumptionRequest] : []
        case (.refund, _) where row.type == .autoRenewable:
            types = isLatest ? [.cancel, .didChangeRenewalStatus] : [.cancel]
        case (.refund, _): types = [.refund]
        case (.revoke, _): types = [.revoke]
        default: types = []
        }
        return row.ownership == .purchased ? types : types.filter { !$0.isOfPurchaserOnly }
    }
}
