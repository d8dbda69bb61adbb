import TillCore

/// Apple's rate limits of routes, per app and hour (docs/operating/faults.md).
enum RateLimits {
    /// - Parameter route: its name.
    /// - Returns: nil if no limit is published.
    static func perHour(_ route: String, in environment: StoreEnvironment) -> Int? {
        // The sandbox has a tenth of production's limits.
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
