import Foundation
import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on subscriptions, for actions of customers and for actions of the App Store.
extension ControlAPI {
    var subscriptionRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/subscriptions",
                id: "listSubscriptions",
                tag: "subscriptions",
                summary: "Lists a customer's subscriptions with their status and next events.",
                response: .object(
                    "Subscriptions.",
                    [
                        Schema.required("customer", .string("The customer.")),
                        Schema.required(
                            "subscriptions",
                            .array(
                                "One subscription for each purchaser and subscription group.",
                                of: Self.subscriptionSchema
                            )
                        ),
                    ]
                )
            ) { exchange in
                let account = try await exchange.account()
                var json = JSONWriter()
                json.put("customer", account.customer)
                json.put("subscriptions", objects: account.heldSubscriptions.map { self.json($0, account) })
                return json.finish()
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}",
                id: "getSubscription",
                tag: "subscriptions",
                summary: "Shows one subscription with its latest transaction.",
                response: Self.purchaseSchema
            ) { exchange in
                let (subscription, account) = try await exchange.subscription()
                return try json(subscription.latestTransaction, account, device: UUID(), Effects())
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/cancel",
                id: "cancelSubscription",
                tag: "subscriptions",
                summary: "Turns off auto-renew. The paid period continues to its end.",
                request: .object("When.", [instantProperty]),
                response: Self.purchaseSchema
            ) { try await perform($0) { .turnAutoRenewOff($0.originalID) } },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/resume",
                id: "resumeSubscription",
                tag: "subscriptions",
                summary: "Turns auto-renew on again.",
                request: .object("When.", [instantProperty]),
                response: Self.purchaseSchema
            ) { try await perform($0) { .turnAutoRenewOn($0.originalID) } },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/change",
                id: "changeSubscription",
                tag: "subscriptions",
                summary:
                    "Changes to another product of the group, applies an offer, or changes the billing plan.",
                request: changeRequest,
                response: Self.boughtSchema
            ) { try await change($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/extend",
                id: "extendSubscription",
                tag: "subscriptions",
                summary: "Extends the current period of a subscription free of charge.",
                request: .object(
                    "The extension.",
                    [
                        Schema.required("days", .integer("The number of calendar days.", 1...90)),
                        Schema.optional(
                            "reasonCode",
                            .integer(
                                "The reason: 0 undeclared (default), 1 customer satisfaction, 2 other, 3 outage.",
                                0...3
                            )
                        ),
                        Schema.optional(
                            "requestIdentifier",
                            .string(
                                "The request identifier; by default a new one. Repeating it has no further effect."
                            )
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.purchaseSchema
            ) { try await extend($0) },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/price-increase/accept",
                id: "acceptPriceIncrease",
                tag: "subscriptions",
                summary: "Accepts a price increase for the customer.",
                request: .object("When.", [instantProperty]),
                response: Self.purchaseSchema
            ) { try await perform($0) { .acceptPriceIncrease($0.originalID) } },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/subscriptions/{originalTransactionId}/price-increase/decline",
                id: "declinePriceIncrease",
                tag: "subscriptions",
                summary: "Declines a price increase for the customer, and turns off auto-renew.",
                request: .object("When.", [instantProperty]),
                response: Self.purchaseSchema
            ) { try await perform($0) { .declinePriceIncrease($0.originalID) } },
        ]
    }

    private func perform(
        _ exchange: ControlExchange,
        _ command: (any HeldSubscription) -> Command
    ) async throws -> [UInt8] {
        let (subscription, account) = try await exchange.subscription()
        return try self.json(subscription, after: try await perform(command(subscription), by: account, exchange))
    }

    private func json(_ subscription: some HeldSubscription, after outcome: Outcome) throws -> [UInt8] {
        let standing = outcome.account.heldSubscription(subscription.originalID) ?? subscription
        return try json(standing.latestTransaction, outcome.account, device: UUID(), Effects(outcome))
    }

    private func change(_ exchange: ControlExchange) async throws -> [UInt8] {
        let (subscription, account) = try await exchange.subscription()
        let body = exchange.body
        let productID = body.text("productId") ?? ""
        let device = try Self.device(body.text("deviceId"))
        let name = CustomerName(try exchange.scope(), account.customer)
        var purchase = try await purchase(of: productID, body, by: name)
        purchase.subscription = subscription.originalID
        let outcome = try await perform(.purchase(purchase), by: account, exchange)
        return try answer(to: productID, outcome, device: device)
    }

    private func extend(_ exchange: ControlExchange) async throws -> [UInt8] {
        let (subscription, account) = try await exchange.subscription()
        let request = exchange.body.text("requestIdentifier") ?? UUID().uuidString.lowercased()
        guard (1...128).contains(request.count) else {
            throw ControlError.bad(
                "bad_request_identifier",
                "A request identifier must have 1 to 128 characters.",
                path: "$.requestIdentifier"
            )
        }
        let wanted = Extension(
            subscription: subscription.originalID,
            days: Int(exchange.body.number("days") ?? 0),
            reasonCode: Int(exchange.body.number("reasonCode") ?? 0),
            request: request
        )
        return try self.json(subscription, after: try await perform(.extend(wanted), by: account, exchange))
    }
}

extension ControlExchange {
    /// The subscription that any of its transaction ids in the path identifies, with its account.
    func subscription() async throws -> (subscription: any HeldSubscription, account: Account) {
        let (row, account) = try await transaction(named: "originalTransactionId")
        guard let subscription = account.heldSubscription(row.originalID) else {
            throw Refusal.unknownSubscription(row.id)
        }
        return (subscription, account)
    }
}
