import TillCore

/// The rate limits that Apple publishes for API routes, converted to calls per app and hour (docs/operating/faults.md).
enum RateLimits {
    /// - Parameter route: the name of the route.
    /// - Returns: the number of calls per hour; nil if Apple publishes no limit for the route.
    static func perHour(_ route: String, in environment: StoreEnvironment) -> Int? {
        // In the sandbox, the limits are a tenth of the limits in production.
        perSecond(route).map { $0 * 3_600 / (environment == .sandbox ? 10 : 1) }
    }

    private static func perSecond(_ route: String) -> Int? {
        switch route {
        case "finishTransaction", "getAppTransactionInfo", "getTransactionInfo", "getTransactionHistory",
            "getTransactionHistoryV1", "getAllSubscriptionStatuses", "sendConsumptionInformation",
            "sendConsumptionInformationV1", "getNotificationHistory":
            50
        case "extendSubscriptionRenewalDate", "setAppAccountToken": 20
        case "lookUpOrderId", "getRefundHistory", "getRefundHistoryV1": 10
        case "massExtendSubscriptionRenewalDate", "requestTestNotification", "getTestNotificationStatus": 1
        default: nil
        }
    }
}
