/// The kinds of JSON objects that Till sends: signed payloads, responses, and the objects inside them.
package enum WireObject: String, CaseIterable, Sendable {
    case transaction
    case transactionCommitment
    case renewalInfo
    case renewalCommitment
    case appTransaction
    case notification
    case notificationData
    case notificationAppData
    case notificationSummary
    case externalPurchaseToken
    case transactionInfo
    case appTransactionInfo
    case transactionHistory
    case refundHistory
    case refundHistoryV1
    case orderLookup
    case subscriptionStatuses
    case subscriptionGroup
    case lastTransaction
    case renewalExtension
    case massExtension
    case massExtensionStatus
    case notificationHistory
    case notificationStatus
    case sendAttempt
    case testNotification

    /// The kinds that occur in signed payloads; all other kinds occur in responses.
    package static let payloads: [WireObject] = [
        .transaction, .transactionCommitment, .renewalInfo, .renewalCommitment, .appTransaction, .notification,
        .notificationData, .notificationAppData, .notificationSummary, .externalPurchaseToken,
    ]

    /// The properties of a key; nil if objects of this kind have no such key.
    package func key(_ name: some StringProtocol) -> WireKey? { keys.first { $0.name == name } }

    /// The keys that objects of this kind can have (docs/operating/payload-profiles.md).
    package var keys: [WireKey] {
        switch self {
        case .transaction: Self.transactionKeys
        case .transactionCommitment: Self.transactionCommitmentKeys
        case .renewalInfo: Self.renewalInfoKeys
        case .renewalCommitment: Self.renewalCommitmentKeys
        case .appTransaction: Self.appTransactionKeys
        case .notification: Self.notificationKeys
        case .notificationData: Self.notificationDataKeys
        case .notificationAppData: Self.notificationAppDataKeys
        case .notificationSummary: Self.notificationSummaryKeys
        case .externalPurchaseToken: Self.externalPurchaseTokenKeys
        case .transactionInfo: [.always("signedTransactionInfo")]
        case .appTransactionInfo: [.always("signedAppTransactionInfo")]
        case .transactionHistory: Self.transactionHistoryKeys
        case .refundHistory: [.always("signedTransactions"), .always("revision"), .always("hasMore")]
        case .refundHistoryV1: [.always("signedTransactions")]
        case .orderLookup: [.always("status", isListed: true), .always("signedTransactions")]
        case .subscriptionStatuses: Self.subscriptionStatusesKeys
        case .subscriptionGroup:
            [.always("subscriptionGroupIdentifier"), .always("lastTransactions", of: .lastTransaction)]
        case .lastTransaction: Self.lastTransactionKeys
        case .renewalExtension: Self.renewalExtensionKeys
        case .massExtension: [.always("requestIdentifier")]
        case .massExtensionStatus: Self.massExtensionStatusKeys
        case .notificationHistory: Self.notificationHistoryKeys
        case .notificationStatus: Self.notificationStatusKeys
        case .sendAttempt: [.always("attemptDate"), .always("sendAttemptResult", isListed: true)]
        case .testNotification: [.always("testNotificationToken")]
        }
    }
}
