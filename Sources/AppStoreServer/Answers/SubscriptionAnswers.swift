/// The statuses of all subscriptions of a customer (docs/api/subscriptions.md).
public struct StatusResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The subscriptions, by their group.
    public let data: [SubscriptionGroupIdentifierItem]

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        data = try raw.required("data")
    }

    /// The environment of the subscriptions.
    public var environment: OpenValue<PayloadEnvironment>? { raw["environment"] }
    /// The bundle id of the app.
    public var bundleId: String? { raw["bundleId"] }
    /// The id of the app in the App Store; nil in the sandbox.
    public var appAppleId: Int64? { raw["appAppleId"] }
}

/// The subscriptions of a customer in one group.
public struct SubscriptionGroupIdentifierItem: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The group.
    public let subscriptionGroupIdentifier: String
    /// One entry for each original transaction.
    public let lastTransactions: [LastTransactionsItem]

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        subscriptionGroupIdentifier = try raw.required("subscriptionGroupIdentifier")
        lastTransactions = try raw.required("lastTransactions")
    }
}

/// The state of one subscription.
public struct LastTransactionsItem: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The subscription.
    public let originalTransactionId: String
    /// Its status.
    public let status: OpenValue<SubscriptionStatus>
    /// Its latest transaction.
    public let signedTransactionInfo: SignedTransaction
    /// Its renewal information.
    public let signedRenewalInfo: SignedRenewalInfo

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        originalTransactionId = try raw.required("originalTransactionId")
        status = try raw.required("status")
        signedTransactionInfo = try raw.required("signedTransactionInfo")
        signedRenewalInfo = try raw.required("signedRenewalInfo")
    }
}

/// The result of the extension of one subscription.
public struct ExtendRenewalDateResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// Whether the subscription was extended.
    public let success: Bool

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        success = try raw.required("success")
    }

    /// The subscription.
    public var originalTransactionId: String? { raw["originalTransactionId"] }
    /// The id of the billing event that was extended.
    public var webOrderLineItemId: String? { raw["webOrderLineItemId"] }
    /// The new end of the period; nil without success.
    public var effectiveDate: Timestamp? { raw["effectiveDate"] }
}

/// The App Store accepted an extension for all subscribers.
public struct MassExtendRenewalDateResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// The id of the request.
    public let requestIdentifier: String

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        requestIdentifier = try raw.required("requestIdentifier")
    }
}

/// The progress of an extension for all subscribers.
public struct MassExtendRenewalDateStatusResponse: AppStoreObject {
    /// The object as it was sent.
    public let raw: RawObject
    /// Whether all subscriptions were handled. The other properties are nil until then.
    public let complete: Bool

    /// A view of an object.
    public init(raw: RawObject) throws {
        self.raw = raw
        complete = try raw.required("complete")
    }

    /// The id of the request.
    public var requestIdentifier: String? { raw["requestIdentifier"] }
    /// The end of the work.
    public var completeDate: Timestamp? { raw["completeDate"] }
    /// The number of extended subscriptions.
    public var succeededCount: Int64? { raw["succeededCount"] }
    /// The number of subscriptions that were not eligible.
    public var failedCount: Int64? { raw["failedCount"] }
}
