/// Signed data whose signature, certificates, app and environment a `SignedDataVerifier` has verified.
///
/// Only a verifier creates it, so a function that takes one cannot be called with data that was not verified.
public struct VerifiedObject<Payload: AppStoreObject>: Hashable, Sendable, CustomStringConvertible {
    /// The data as it was received.
    public let signed: SignedObject<Payload>
    /// The verified payload.
    public let payload: Payload

    init(_ signed: SignedObject<Payload>, _ payload: Payload) { (self.signed, self.payload) = (signed, payload) }

    /// Whether the data is the same.
    public static func == (left: Self, right: Self) -> Bool { left.signed == right.signed }
    /// Hashes the data.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed) }

    /// The payload as text.
    public var description: String { payload.description }
}

/// A verified transaction.
public typealias VerifiedTransaction = VerifiedObject<TransactionPayload>
/// Verified renewal information of a subscription.
public typealias VerifiedRenewalInfo = VerifiedObject<RenewalInfoPayload>
/// A verified app transaction.
public typealias VerifiedAppTransaction = VerifiedObject<AppTransactionPayload>

/// A notification whose signature a `SignedDataVerifier` has verified, with the verified data in it.
///
/// Only a verifier creates it.
public struct VerifiedNotification: Hashable, Sendable, CustomStringConvertible {
    /// The notification as it was received.
    public let signed: SignedNotification
    /// The verified payload.
    public let payload: NotificationPayload
    /// The transaction; nil if the notification has none.
    public let transaction: VerifiedTransaction?
    /// The renewal information; only for auto-renewable subscriptions.
    public let renewalInfo: VerifiedRenewalInfo?
    /// The app transaction; only for `RESCIND_CONSENT`.
    public let appTransaction: VerifiedAppTransaction?

    init(
        _ signed: SignedNotification,
        _ payload: NotificationPayload,
        transaction: VerifiedTransaction?,
        renewalInfo: VerifiedRenewalInfo?,
        appTransaction: VerifiedAppTransaction?
    ) {
        (self.signed, self.payload) = (signed, payload)
        (self.transaction, self.renewalInfo, self.appTransaction) = (transaction, renewalInfo, appTransaction)
    }

    /// The original transaction that the notification is about; nil if it is about none.
    public var originalTransactionId: String? {
        transaction?.payload.originalTransactionId ?? renewalInfo?.payload.originalTransactionId
    }

    /// Whether the notification is the same.
    public static func == (left: Self, right: Self) -> Bool { left.signed == right.signed }
    /// Hashes the notification.
    public func hash(into hasher: inout Hasher) { hasher.combine(signed) }

    /// The payload as text.
    public var description: String { payload.description }
}
