import HTTPTypes
import TillShop

/// The names of the routes for fault rules and rate limits, made from the titles in Apple's documentation.
enum RouteName {
    static let byPath: [String: String] = [
        "GET /inApps/v2/history/{id}": "getTransactionHistory",
        "GET /inApps/v1/history/{id}": "getTransactionHistoryV1",
        "GET /inApps/v1/transactions/{id}": "getTransactionInfo",
        "POST /inApps/v1/transactions/{id}/finish": "finishTransaction",
        "PUT /inApps/v1/transactions/{id}/appAccountToken": "setAppAccountToken",
        "GET /inApps/v1/transactions/appTransactions/{id}": "getAppTransactionInfo",
        "GET /inApps/v1/subscriptions/{id}": "getAllSubscriptionStatuses",
        "PUT /inApps/v1/subscriptions/extend/{id}": "extendSubscriptionRenewalDate",
        "POST /inApps/v1/subscriptions/extend/mass": "massExtendSubscriptionRenewalDate",
        "GET /inApps/v1/subscriptions/extend/mass/{product}/{request}": "getMassExtensionStatus",
        "GET /inApps/v1/lookup/{id}": "lookUpOrderId",
        "GET /inApps/v2/refund/lookup/{id}": "getRefundHistory",
        "GET /inApps/v1/refund/lookup/{id}": "getRefundHistoryV1",
        "PUT /inApps/v2/transactions/consumption/{id}": "sendConsumptionInformation",
        "PUT /inApps/v1/transactions/consumption/{id}": "sendConsumptionInformationV1",
        "POST /inApps/v1/notifications/history": "getNotificationHistory",
        "POST /inApps/v1/notifications/test": "requestTestNotification",
        "GET /inApps/v1/notifications/test/{id}": "getTestNotificationStatus",
    ]

    /// The name of verifyReceipt, which does not belong to the App Store Server API.
    static let verifyReceipt = FaultRule.verifyReceipt

    /// All names in alphabetical order.
    static let all = (byPath.values + [verifyReceipt]).sorted()
}

extension Endpoint {
    /// The route's name.
    var name: String {
        guard let name = RouteName.byPath["\(method.rawValue) \(path)"] else {
            preconditionFailure("\(method.rawValue) \(path) has no name; give it one in RouteName")
        }
        return name
    }
}
