import Foundation
import TillControl
import TillCore
import TillShop
import TillStorage

/// Operations on subscriptions, for actions of customers and for actions of the App Store.
extension ControlAPI {
    var subscriptionRoutes: [ControlRoute] {
        [
            ControlRoute(GetSubscription.self) { call in
                let (subscription, account) = try await call.subscription()
                return try await info(of: subscription.latestTransaction, account, include: call.request.include)
            },
            ControlRoute(CancelSubscription.self) { call in
                try await perform(call, at: call.at) { .turnAutoRenewOff($0.originalID) }
            },
            ControlRoute(ResumeSubscription.self) { call in
                try await perform(call, at: call.at) { .turnAutoRenewOn($0.originalID) }
            },
            ControlRoute(ChangeSubscription.self) { try await change($0) },
            ControlRoute(ExtendSubscription.self) { try await extend($0) },
            ControlRoute(AcceptPriceIncrease.self) { call in
                try await perform(call, at: call.at) { .acceptPriceIncrease($0.originalID) }
            },
            ControlRoute(DeclinePriceIncrease.self) { call in
                try await perform(call, at: call.at) { .declinePriceIncrease($0.originalID) }
            },
        ]
    }

    private func perform(
        _ call: ControlCall<some SubscriptionRequest & IncludingRequest>,
        at instant: Timestamp?,
        _ command: (any HeldSubscription) -> Command
    ) async throws -> ActionInfo {
        let (subscription, account) = try await call.subscription()
        let outcome = try await perform(command(subscription), by: account, at: instant)
        let standing = outcome.account.heldSubscription(subscription.originalID) ?? subscription
        return try await info(of: standing.latestTransaction, after: outcome, include: call.request.include)
    }

    private func change(_ call: ControlCall<ChangeSubscription>) async throws -> PurchaseInfo {
        let (subscription, account) = try await call.subscription()
        let device = try Self.device(call.deviceId)
        let name = CustomerName(try call.scope(), account.customer)
        var purchase = Purchase(productID: call.productId, appAccountToken: call.appAccountToken)
        if let offer = call.offer { try await apply(offer, to: &purchase, by: name) }
        purchase.billingPlan = call.billingPlan
        purchase.subscription = subscription.originalID
        let outcome = try await perform(.purchase(purchase), by: account, at: call.at)
        return try await answer(to: call.productId, outcome, include: call.request.include, device: device)
    }

    private func extend(_ call: ControlCall<ExtendSubscription>) async throws -> ActionInfo {
        let request = call.requestIdentifier ?? UUID().uuidString.lowercased()
        guard (1...128).contains(request.count) else {
            throw ControlError.bad(
                "bad_request_identifier",
                "A request identifier must have 1 to 128 characters.",
                path: "$.requestIdentifier"
            )
        }
        return try await perform(call, at: call.at) {
            .extend(
                Extension(
                    subscription: $0.originalID,
                    days: call.days,
                    reasonCode: call.reasonCode ?? 0,
                    request: request
                )
            )
        }
    }
}

extension ControlCall where Request: SubscriptionRequest {
    /// The subscription that any of its transaction ids identifies, with its account.
    func subscription() async throws -> (subscription: any HeldSubscription, account: Account) {
        let (row, account) = try await transaction(request.originalTransactionId)
        guard let subscription = account.heldSubscription(row.originalID) else {
            throw Refusal.unknownSubscription(row.id)
        }
        return (subscription, account)
    }
}
