import HTTPTypes
import Hummingbird
import TillShop

/// Applies the payload profile to response bodies (docs/operating/payload-profiles.md). It was already applied to the
/// signed data in them. Error objects never change, because one of Apple's libraries fails on an extra key.
extension AppleAPI {
    /// Answers a call with the payload profile of the app. The default profile changes nothing.
    func answerByProfile(_ endpoint: Endpoint, _ exchange: Exchange) async throws -> Response {
        let response = try await endpoint.answer(exchange)
        guard shop.registry.payloadProfile(of: exchange.scope) != nil, let shape = WireObject(answerOf: endpoint.name)
        else {
            return response
        }
        let collected = CollectedBody()
        try await response.body.write(collected)
        let body = shop.applyingProfile(
            Array(buffer: collected.bytes),
            as: shape,
            in: exchange.scope,
            identity: exchange.request.uri.path
        )
        return .json(body, status: response.status)
    }
}

extension WireObject {
    /// The kind of object that an endpoint answers with; nil for an empty body.
    package init?(answerOf route: String) {
        switch route {
        case "getTransactionHistory", "getTransactionHistoryV1": self = .transactionHistory
        case "getTransactionInfo": self = .transactionInfo
        case "getAppTransactionInfo": self = .appTransactionInfo
        case "getAllSubscriptionStatuses": self = .subscriptionStatuses
        case "extendSubscriptionRenewalDate": self = .renewalExtension
        case "massExtendSubscriptionRenewalDate": self = .massExtension
        case "getMassExtensionStatus": self = .massExtensionStatus
        case "lookUpOrderId": self = .orderLookup
        case "getRefundHistory": self = .refundHistory
        case "getRefundHistoryV1": self = .refundHistoryV1
        case "getNotificationHistory": self = .notificationHistory
        case "requestTestNotification": self = .testNotification
        case "getTestNotificationStatus": self = .notificationStatus
        default: return nil
        }
    }
}
