/// The keys in responses of the App Store Server API, in the order in which Till writes them.
extension WireObject {
    static let transactionHistoryKeys: [WireKey] = [
        .always("revision"),
        .always("bundleId"),
        .inProduction("appAppleId"),
        .always("environment"),
        .always("hasMore"),
        .always("signedTransactions"),
    ]

    static let subscriptionStatusesKeys: [WireKey] = [
        .always("environment"),
        .always("bundleId"),
        .inProduction("appAppleId"),
        .always("data", of: .subscriptionGroup),
    ]

    static let lastTransactionKeys: [WireKey] = [
        .always("originalTransactionId"),
        .always("status", isListed: true),
        .always("signedTransactionInfo"),
        .always("signedRenewalInfo"),
    ]

    static let renewalExtensionKeys: [WireKey] = [
        .always("originalTransactionId"),
        .always("webOrderLineItemId"),
        .always("success"),
        .always("effectiveDate"),
    ]

    static let massExtensionStatusKeys: [WireKey] = [
        .always("requestIdentifier"),
        .always("complete"),
        .always("completeDate"),
        .always("succeededCount"),
        .always("failedCount"),
    ]

    static let notificationHistoryKeys: [WireKey] = [
        .always("hasMore"),
        .always("paginationToken"),
        .always("notificationHistory", of: .notificationStatus),
    ]

    static let notificationStatusKeys: [WireKey] = [
        .always("signedPayload"),
        .optional("firstSendAttemptResult", isListed: true),
        .always("sendAttempts", since: 8, of: .sendAttempt),
    ]
}
