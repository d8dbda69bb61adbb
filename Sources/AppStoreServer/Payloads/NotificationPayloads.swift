/// The payload of a notification of version 2 (`responseBodyV2DecodedPayload`; docs/api/notifications.md).
///
/// Exactly one of `data`, `summary`, `externalPurchaseToken` and `appData` is present.
public struct NotificationPayload: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// What happened.
    public let notificationType: OpenValue<NotificationType>
    /// The id of the notification; the same in each attempt to send it.
    public let notificationUUID: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        notificationType = try raw.required("notificationType")
        notificationUUID = try raw.required("notificationUUID")
    }

    /// What exactly happened; nil for types without a subtype.
    public var subtype: OpenValue<NotificationSubtype>? { raw["subtype"] }
    /// The version of the format, `2.0`.
    public var version: String? { raw["version"] }
    /// When the notification was signed.
    public var signedDate: Timestamp? { raw["signedDate"] }
    /// The purchase; for most types.
    public var data: NotificationData? { raw["data"] }
    /// The result of an extension for all subscribers; for `RENEWAL_EXTENSION` with `SUMMARY`.
    public var summary: NotificationSummary? { raw["summary"] }
    /// The token; for `EXTERNAL_PURCHASE_TOKEN`.
    public var externalPurchaseToken: ExternalPurchaseToken? { raw["externalPurchaseToken"] }
    /// The app and its download; for `RESCIND_CONSENT`.
    public var appData: NotificationAppData? { raw["appData"] }
}

/// `data` of a notification: the purchase that it is about.
public struct NotificationData: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The environment of the purchase.
    public let environment: OpenValue<PayloadEnvironment>

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        environment = try raw.required("environment")
    }

    /// The bundle id of the app.
    public var bundleId: String? { raw["bundleId"] }
    /// The id of the app in the App Store; nil in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
    /// The version of the app.
    public var bundleVersion: String? { raw["bundleVersion"] }
    /// The transaction; nil for `TEST`.
    public var signedTransactionInfo: SignedTransaction? { raw["signedTransactionInfo"] }
    /// The renewal information; only for auto-renewable subscriptions.
    public var signedRenewalInfo: SignedRenewalInfo? { raw["signedRenewalInfo"] }
    /// The status; only for auto-renewable subscriptions.
    public var status: OpenValue<SubscriptionStatus>? { raw["status"] }
    /// Why the customer requests a refund; only for `CONSUMPTION_REQUEST`.
    public var consumptionRequestReason: OpenValue<ConsumptionRequestReason>? { raw["consumptionRequestReason"] }
}

/// `summary` of a notification: the result of an extension for all subscribers.
public struct NotificationSummary: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The `requestIdentifier` of the extension.
    public let requestIdentifier: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        requestIdentifier = try raw.required("requestIdentifier")
    }

    /// The environment of the subscriptions.
    public var environment: OpenValue<PayloadEnvironment>? { raw["environment"] }
    /// The bundle id of the app.
    public var bundleId: String? { raw["bundleId"] }
    /// The id of the app in the App Store; nil in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
    /// The product whose subscriptions were extended.
    public var productId: String? { raw["productId"] }
    /// The storefronts of the request; nil for all.
    public var storefrontCountryCodes: [String]? { raw["storefrontCountryCodes"] }
    /// The number of extended subscriptions.
    public var succeededCount: Int64? { raw["succeededCount"] }
    /// The number of subscriptions that were not eligible.
    public var failedCount: Int64? { raw["failedCount"] }
}

/// `externalPurchaseToken` of a notification.
public struct ExternalPurchaseToken: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The id of the token; in the sandbox it begins with `SANDBOX`.
    public let externalPurchaseId: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        externalPurchaseId = try raw.required("externalPurchaseId")
    }

    /// When the token was created.
    public var tokenCreationDate: Timestamp? { raw["tokenCreationDate"] }
    /// The type of a token for a custom link, such as `ACQUISITION`; nil for other tokens.
    public var tokenType: String? { raw["tokenType"] }
    /// When a token for a custom link expires; nil for other tokens.
    public var tokenExpirationDate: Timestamp? { raw["tokenExpirationDate"] }
    /// The bundle id of the app.
    public var bundleId: String? { raw["bundleId"] }
    /// The id of the app in the App Store.
    public var appAppleId: Int64? { raw["appAppleId"] }
}

/// `appData` of a notification: the download of the app that it is about.
public struct NotificationAppData: AppStoreObject {
    /// The object as it was signed.
    public let raw: RawObject
    /// The environment of the download.
    public let environment: OpenValue<PayloadEnvironment>

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        environment = try raw.required("environment")
    }

    /// The bundle id of the app.
    public var bundleId: String? { raw["bundleId"] }
    /// The id of the app in the App Store; nil in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
    /// The app transaction.
    public var signedAppTransactionInfo: SignedAppTransaction? { raw["signedAppTransactionInfo"] }
}
