/// What the store tells the developer's server: decided by the rules, signed and sent by others.
///
/// A snapshot: the transaction and the renewal info are as they stood when it came about.
package struct Notification: Equatable, Sendable {
    /// Why a customer wants money back; only `CONSUMPTION_REQUEST` says so.
    package let consumptionRequestReason: ConsumptionRequestReason?
    /// `notificationType`.
    package let type: NotificationType
    /// `subtype`; nil where the type is told without one.
    package let subtype: NotificationSubtype?
    /// Whose purchase it is about.
    package let account: AccountID
    /// The account's count of notifications, from 1: with the account it names the notification for ever.
    package let number: Int64
    /// The transaction that it is about.
    package var transaction: Transaction
    /// Only for auto-renewables: the subscription as it stands, whatever the transaction.
    package var renewalInfo: RenewalInfo?
    /// Only for auto-renewables.
    package let status: SubscriptionStatus?
    /// The instant at which it came about, and falls due to be sent.
    package var date: Timestamp
    /// The same, or as much later as it takes to rise with every notification of an account by a millisecond.
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

    /// What it is about: nothing but the app, a customer, or a transaction.
    package var subject: Subject {
        switch self {
        case .test, .externalPurchaseToken: .app
        case .rescindConsent: .customer
        default: .transaction
        }
    }

    /// What may stand beside it; nil is none. A pair that is not here is not one (error 4000018).
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

/// `consumptionRequestReason`: why a customer asks for money back.
package enum ConsumptionRequestReason: String, Codable, CaseIterable, Sendable {
    case unintendedPurchase = "UNINTENDED_PURCHASE"
    case fulfillmentIssue = "FULFILLMENT_ISSUE"
    case unsatisfiedWithPurchase = "UNSATISFIED_WITH_PURCHASE"
    case legal = "LEGAL"
    case other = "OTHER"
}
