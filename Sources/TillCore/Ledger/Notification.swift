/// A notification to the developer's server: decided by the rules, signed and sent elsewhere.
///
/// A snapshot: transaction and renewal info are as they were at the event.
package struct Notification: Equatable, Sendable {
    /// Why the customer wants a refund; only for `CONSUMPTION_REQUEST`.
    package let consumptionRequestReason: ConsumptionRequestReason?
    /// `notificationType`.
    package let type: NotificationType
    /// `subtype`; nil for a type without one.
    package let subtype: NotificationSubtype?
    /// The customer's account.
    package let account: AccountID
    /// The account's count of notifications, from 1: account and number identify the notification.
    package let number: Int64
    /// The transaction of the event.
    package var transaction: Transaction
    /// Only for auto-renewables: the subscription's current state, whichever transaction the event is about.
    package var renewalInfo: RenewalInfo?
    /// Only for auto-renewables.
    package let status: SubscriptionStatus?
    /// The instant of the event, when the notification is due.
    package var date: Timestamp
    /// The same instant, or later by as much as needed to be a millisecond after the account's previous notification.
    package var signedDate: Timestamp
}

/// `notificationType` (docs/api/notifications.md).
package enum NotificationType: String, Codable, CaseIterable, Sendable {
    case subscribed = "SUBSCRIBED"
    case didRenew = "DID_RENEW"
    case offerRedeemed = "OFFER_REDEEMED"
    case oneTimeCharge = "ONE_TIME_CHARGE"
    case didChangeRenewalPref = "DID_CHANGE_RENEWAL_PREF"
    case didChangeRenewalStatus = "DID_CHANGE_RENEWAL_STATUS"
    case didFailToRenew = "DID_FAIL_TO_RENEW"
    case gracePeriodExpired = "GRACE_PERIOD_EXPIRED"
    case expired = "EXPIRED"
    case priceIncrease = "PRICE_INCREASE"
    case consumptionRequest = "CONSUMPTION_REQUEST"
    case refund = "REFUND"
    case refundDeclined = "REFUND_DECLINED"
    case refundReversed = "REFUND_REVERSED"
    case revoke = "REVOKE"
    case renewalExtended = "RENEWAL_EXTENDED"
    case renewalExtension = "RENEWAL_EXTENSION"
    case test = "TEST"
    case externalPurchaseToken = "EXTERNAL_PURCHASE_TOKEN"
    case rescindConsent = "RESCIND_CONSENT"
    case metadataUpdate = "METADATA_UPDATE"
    case migration = "MIGRATION"
    case priceChange = "PRICE_CHANGE"

    /// What a notification of a type is about.
    package enum Subject: Sendable {
        case app
        case customer
        case transaction
    }

    /// The subject: only the app, a customer, or a transaction.
    package var subject: Subject {
        switch self {
        case .test, .externalPurchaseToken: .app
        case .rescindConsent: .customer
        default: .transaction
        }
    }

    /// The possible subtypes; nil means none. Any other pair is invalid (error 4000018).
    package var subtypes: [NotificationSubtype?] {
        switch self {
        case .subscribed: [.initialBuy, .resubscribe]
        case .didRenew: [nil, .billingRecovery]
        case .offerRedeemed, .didChangeRenewalPref: [nil, .upgrade, .downgrade]
        case .didChangeRenewalStatus: [.autoRenewEnabled, .autoRenewDisabled]
        case .didFailToRenew: [nil, .gracePeriod]
        case .expired: [nil, .voluntary, .billingRetry, .priceIncrease, .productNotForSale]
        case .priceIncrease: [.pending, .accepted]
        case .renewalExtension: [.summary, .failure]
        case .externalPurchaseToken: [.unreported, .created, .activeTokenReminder]
        case .oneTimeCharge, .gracePeriodExpired, .consumptionRequest, .refund, .refundDeclined, .refundReversed,
            .revoke, .renewalExtended, .test, .rescindConsent, .metadataUpdate, .migration, .priceChange:
            [nil]
        }
    }
}

/// `subtype` (docs/api/notifications.md).
package enum NotificationSubtype: String, Codable, CaseIterable, Sendable {
    case initialBuy = "INITIAL_BUY"
    case resubscribe = "RESUBSCRIBE"
    case billingRecovery = "BILLING_RECOVERY"
    case upgrade = "UPGRADE"
    case downgrade = "DOWNGRADE"
    case autoRenewEnabled = "AUTO_RENEW_ENABLED"
    case autoRenewDisabled = "AUTO_RENEW_DISABLED"
    case gracePeriod = "GRACE_PERIOD"
    case voluntary = "VOLUNTARY"
    case billingRetry = "BILLING_RETRY"
    case priceIncrease = "PRICE_INCREASE"
    case productNotForSale = "PRODUCT_NOT_FOR_SALE"
    case pending = "PENDING"
    case accepted = "ACCEPTED"
    case summary = "SUMMARY"
    case failure = "FAILURE"
    case unreported = "UNREPORTED"
    case created = "CREATED"
    case activeTokenReminder = "ACTIVE_TOKEN_REMINDER"
}

/// `consumptionRequestReason`: why a customer requests a refund.
package enum ConsumptionRequestReason: String, Codable, CaseIterable, Sendable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
}
