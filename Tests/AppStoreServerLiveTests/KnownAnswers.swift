@testable import AppStoreServer

/// The properties of the answers of the App Store Server API.

extension TransactionInfoResponse: KnownObject {
    static let section = "transactionInfo"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "signedTransactionInfo": { $0.signedTransactionInfo }
    ]
}

extension AppTransactionInfoResponse: KnownObject {
    static let section = "appTransactionInfo"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "signedAppTransactionInfo": { $0.signedAppTransactionInfo }
    ]
}

/// The refund history has the same type, and a part of the keys.
extension HistoryResponse: KnownObject {
    static let section = "transactionHistory"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "revision": { $0.revision }, "bundleId": { $0.bundleId }, "appAppleId": { $0.appAppleId },
        "environment": { $0.environment }, "hasMore": { $0.hasMore }, "signedTransactions": { $0.signedTransactions },
    ]
}

extension RefundLookupResponse: KnownObject {
    static let section = "refundHistoryV1"
    static let properties: [String: @Sendable (Self) -> Any?] = ["signedTransactions": { $0.signedTransactions }]
}

extension OrderLookupResponse: KnownObject {
    static let section = "orderLookup"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "status": { $0.status }, "signedTransactions": { $0.signedTransactions },
    ]
}

extension StatusResponse: KnownObject {
    static let section = "subscriptionStatuses"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "environment": { $0.environment }, "bundleId": { $0.bundleId }, "appAppleId": { $0.appAppleId },
        "data": { $0.data },
    ]
}

extension SubscriptionGroupIdentifierItem: KnownObject {
    static let section = "subscriptionGroup"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "subscriptionGroupIdentifier": { $0.subscriptionGroupIdentifier }, "lastTransactions": { $0.lastTransactions },
    ]
}

extension LastTransactionsItem: KnownObject {
    static let section = "lastTransaction"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "originalTransactionId": { $0.originalTransactionId }, "status": { $0.status },
        "signedTransactionInfo": { $0.signedTransactionInfo }, "signedRenewalInfo": { $0.signedRenewalInfo },
    ]
}

extension ExtendRenewalDateResponse: KnownObject {
    static let section = "renewalExtension"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "originalTransactionId": { $0.originalTransactionId }, "webOrderLineItemId": { $0.webOrderLineItemId },
        "success": { $0.success }, "effectiveDate": { $0.effectiveDate },
    ]
}

extension MassExtendRenewalDateResponse: KnownObject {
    static let section = "massExtension"
    static let properties: [String: @Sendable (Self) -> Any?] = ["requestIdentifier": { $0.requestIdentifier }]
}

extension MassExtendRenewalDateStatusResponse: KnownObject {
    static let section = "massExtensionStatus"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "requestIdentifier": { $0.requestIdentifier }, "complete": { $0.complete },
        "completeDate": { $0.completeDate }, "succeededCount": { $0.succeededCount },
        "failedCount": { $0.failedCount },
    ]
}

extension NotificationHistoryResponse: KnownObject {
    static let section = "notificationHistory"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "hasMore": { $0.hasMore }, "paginationToken": { $0.paginationToken },
        "notificationHistory": { $0.notificationHistory },
    ]
}

extension NotificationHistoryResponseItem: KnownObject {
    static let section = "notificationStatus"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "signedPayload": { $0.signedPayload }, "firstSendAttemptResult": { $0.firstSendAttemptResult },
        "sendAttempts": { $0.sendAttempts },
    ]
}

extension SendAttemptItem: KnownObject {
    static let section = "sendAttempt"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "attemptDate": { $0.attemptDate }, "sendAttemptResult": { $0.sendAttemptResult },
    ]
}

extension SendTestNotificationResponse: KnownObject {
    static let section = "testNotification"
    static let properties: [String: @Sendable (Self) -> Any?] = [
        "testNotificationToken": { $0.testNotificationToken }
    ]
}
