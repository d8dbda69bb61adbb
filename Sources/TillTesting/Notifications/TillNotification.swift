import Foundation
import TillJSON

extension Till {
    /// A notification that an endpoint received.
    public struct Notification: Sendable, CustomStringConvertible {
        /// The signed payload as it was received: a compact JWS.
        public let signedPayload: String
        /// The type.
        public let type: NotificationType
        /// The subtype; nil for a notification without one.
        public let subtype: NotificationSubtype?
        /// The id of the notification; the same in each attempt to deliver it.
        public let notificationUUID: String
        /// When the notification was signed.
        public let signedDate: Timestamp
        /// The status of the subscription; only for auto-renewable subscriptions.
        public let status: SubscriptionStatus?
        /// The transaction; nil for types that are about none.
        public let transaction: Transaction?
        /// The renewal information; only for auto-renewable subscriptions.
        public let renewal: Renewal?
        /// The decoded payload.
        public let payload: JSONObject
        let bundleId: String?

        /// The type, with its subtype after a slash: `SUBSCRIBED/INITIAL_BUY`.
        public var description: String { type.rawValue + (subtype.map { "/\($0.rawValue)" } ?? "") }

        /// Decodes a signed payload. The signature is not verified.
        ///
        /// - Throws: `TillTestingError` if it is not a notification of version 2.
        init(decoding signedPayload: String) throws {
            let (payload, values) = try JWSPayload.decode(NotificationValues.self, signedPayload)
            (self.signedPayload, self.payload) = (signedPayload, payload)
            (type, subtype) = (values.notificationType, values.subtype)
            (notificationUUID, signedDate) = (values.notificationUUID, values.signedDate)
            status = values.data?.status
            bundleId =
                values.data?.bundleId ?? values.summary?.bundleId ?? values.appData?.bundleId
                ?? values.externalPurchaseToken?.bundleId
            transaction = try values.data?.signedTransactionInfo.map { try Transaction(decoding: $0) }
            renewal = try values.data?.signedRenewalInfo.map { try Renewal(decoding: $0) }
        }
    }

    /// The payload of a signed transaction.
    public struct Transaction: Sendable {
        /// The signed transaction: a compact JWS.
        public let signedTransactionInfo: String
        /// The decoded payload, with all its keys.
        public let payload: JSONObject
        private let values: TransactionValues

        /// The id of this purchase or renewal.
        public var transactionId: String { values.transactionId }
        /// The id of the first purchase; the same for all renewals of a subscription.
        public var originalTransactionId: String { values.originalTransactionId }
        /// The product identifier.
        public var productId: String { values.productId }
        /// When the customer was charged.
        public var purchaseDate: Timestamp { values.purchaseDate }
        /// The end of the period; only for auto-renewable subscriptions.
        public var expiresDate: Timestamp? { values.expiresDate }
        /// When the purchase was refunded, or was no longer shared; nil if it is valid.
        public var revocationDate: Timestamp? { values.revocationDate }
        /// The kind of the offer of this period.
        public var offerType: OfferType? { values.offerType }
        /// The app's UUID for the customer; nil if the app gave none.
        public var appAccountToken: UUID? { values.appAccountToken.flatMap { UUID(uuidString: $0) } }
        /// The price in milliunits.
        public var price: Int64? { values.price }
        /// The currency of the price, as an ISO 4217 code.
        public var currency: String? { values.currency }

        /// Decodes a signed transaction, such as the one of a purchase. The signature is not verified.
        ///
        /// - Throws: `TillTestingError` if it is not a signed transaction.
        public init(decoding signedTransactionInfo: String) throws {
            self.signedTransactionInfo = signedTransactionInfo
            (payload, values) = try JWSPayload.decode(TransactionValues.self, signedTransactionInfo)
        }
    }

    /// The payload of signed renewal information.
    public struct Renewal: Sendable {
        /// The signed renewal information: a compact JWS.
        public let signedRenewalInfo: String
        /// The decoded payload, with all its keys.
        public let payload: JSONObject
        private let values: RenewalValues

        /// The id of the subscription's first purchase.
        public var originalTransactionId: String { values.originalTransactionId }
        /// The product of the next period.
        public var autoRenewProductId: String? { values.autoRenewProductId }
        /// Whether the subscription renews at the end of the period.
        public var isAutoRenewing: Bool { values.autoRenewStatus == 1 }
        /// The end of the grace period.
        public var gracePeriodExpiresDate: Timestamp? { values.gracePeriodExpiresDate }
        /// The reason why the subscription expired.
        public var expirationIntent: ExpirationIntent? { values.expirationIntent }

        /// Decodes signed renewal information. The signature is not verified.
        ///
        /// - Throws: `TillTestingError` if it is not signed renewal information.
        public init(decoding signedRenewalInfo: String) throws {
            self.signedRenewalInfo = signedRenewalInfo
            (payload, values) = try JWSPayload.decode(RenewalValues.self, signedRenewalInfo)
        }
    }
}

private struct NotificationValues: Decodable {
    let notificationType: NotificationType
    let subtype: NotificationSubtype?
    let notificationUUID: String
    let signedDate: Timestamp
    let data: SubjectValues?
    let summary: SubjectValues?
    let appData: SubjectValues?
    let externalPurchaseToken: SubjectValues?
}

private struct SubjectValues: Decodable {
    let bundleId: String?
    let status: SubscriptionStatus?
    let signedTransactionInfo: String?
    let signedRenewalInfo: String?
}

private struct TransactionValues: Decodable {
    let transactionId: String
    let originalTransactionId: String
    let productId: String
    let purchaseDate: Timestamp
    let expiresDate: Timestamp?
    let revocationDate: Timestamp?
    let offerType: OfferType?
    let appAccountToken: String?
    let price: Int64?
    let currency: String?
}

private struct RenewalValues: Decodable {
    let originalTransactionId: String
    let autoRenewProductId: String?
    let autoRenewStatus: Int
    let gracePeriodExpiresDate: Timestamp?
    let expirationIntent: ExpirationIntent?
}
