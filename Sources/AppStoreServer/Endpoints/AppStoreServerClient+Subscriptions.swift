import Foundation
import TillJSON

/// Statuses and extensions of subscriptions (docs/api/subscriptions.md, docs/api/extensions.md).
extension AppStoreServerClient {
    /// Get All Subscription Statuses: all subscriptions of a customer.
    ///
    /// - Parameters:
    ///   - id: any transaction id, original transaction id or app transaction id of the customer.
    ///   - statuses: the statuses of the subscriptions; empty for all.
    public func subscriptionStatuses(
        of id: String,
        in statuses: [SubscriptionStatus] = []
    ) async throws -> Answer<StatusResponse> {
        let query = statuses.map { (name: "status", value: Optional(String($0.rawValue))) }
        return try await perform(.seeking(.get, ["inApps", "v1", "subscriptions", id], query: query))
    }

    /// Extend a Subscription Renewal Date. It can be repeated with the same `requestIdentifier`.
    ///
    /// - Parameters:
    ///   - originalTransactionId: the subscription.
    ///   - request: the days, the reason and an identifier of the request.
    public func extendRenewalDate(
        of originalTransactionId: String,
        _ request: ExtendRenewalDateRequest
    ) async throws -> Answer<ExtendRenewalDateResponse> {
        let path = ["inApps", "v1", "subscriptions", "extend", originalTransactionId]
        return try await perform(.seeking(.put, path, body: try JSONTree(encoding: request)))
    }

    /// Extend Subscription Renewal Dates for All Active Subscribers. It can be repeated with the same
    /// `requestIdentifier`. `.automatic` extends in production; use `at(.sandbox)` for the sandbox.
    public func extendRenewalDateForAllActiveSubscribers(
        _ request: MassExtendRenewalDateRequest
    ) async throws -> Answer<MassExtendRenewalDateResponse> {
        let path = ["inApps", "v1", "subscriptions", "extend", "mass"]
        return try await perform(APICall(.post, path, body: try JSONTree(encoding: request)))
    }

    /// Get Status of Subscription Renewal Date Extensions.
    ///
    /// - Parameters:
    ///   - productId: the product of the request.
    ///   - requestIdentifier: that of the request.
    public func renewalDateExtensionStatus(
        productId: String,
        requestIdentifier: UUID
    ) async throws -> Answer<MassExtendRenewalDateStatusResponse> {
        let path = ["inApps", "v1", "subscriptions", "extend", "mass", productId]
        return try await perform(APICall(.get, path + [requestIdentifier.uuidString.lowercased()]))
    }
}

/// Why a subscription is extended.
public enum ExtendReasonCode: Int, Encodable, CaseIterable, Sendable {
    /// Not given.
    case undeclared = 0
    /// To satisfy the customer.
    case customerSatisfaction = 1
    /// Another reason.
    case other = 2
    /// The service failed.
    case serviceIssue = 3
}

/// The extension of one subscription.
public struct ExtendRenewalDateRequest: Encodable, Sendable {
    /// The number of days, from 1 to 90.
    public var extendByDays: Int
    /// The reason.
    public var extendReasonCode: ExtendReasonCode
    /// The id of the request: any text of up to 128 characters. The same id is the same extension.
    public var requestIdentifier: String

    /// A request with a new identifier. Keep it if you want to repeat the request later.
    public init(
        extendByDays: Int,
        extendReasonCode: ExtendReasonCode,
        requestIdentifier: String = UUID().uuidString.lowercased()
    ) {
        (self.extendByDays, self.extendReasonCode) = (extendByDays, extendReasonCode)
        self.requestIdentifier = requestIdentifier
    }
}

/// The extension of all active subscriptions of a product.
public struct MassExtendRenewalDateRequest: Encodable, Sendable {
    /// The number of days, from 1 to 90.
    public var extendByDays: Int
    /// The reason.
    public var extendReasonCode: ExtendReasonCode
    /// The id of the request, a UUID. The same id is the same extension.
    public var requestIdentifier: String
    /// The product.
    public var productId: String
    /// The storefronts, as ISO 3166-1 alpha-3 codes; nil for all.
    public var storefrontCountryCodes: [String]?

    /// A request with a new identifier. Keep it to ask for the status.
    public init(
        productId: String,
        extendByDays: Int,
        extendReasonCode: ExtendReasonCode,
        requestIdentifier: UUID = UUID(),
        storefrontCountryCodes: [String]? = nil
    ) {
        (self.productId, self.extendByDays) = (productId, extendByDays)
        self.extendReasonCode = extendReasonCode
        self.requestIdentifier = requestIdentifier.uuidString.lowercased()
        self.storefrontCountryCodes = storefrontCountryCodes
    }
}
