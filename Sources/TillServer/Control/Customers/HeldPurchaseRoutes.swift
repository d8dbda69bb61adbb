import Foundation
import HTTPTypes
import TillCore
import TillJSON
import TillShop

/// Operations on pending purchases, which wait for a parent's approval or for the customer.
extension ControlAPI {
    private static let heldPurchase = Schema.object(
        "A pending purchase.",
        [
            Schema.required(
                "number",
                .integer("The number of the pending purchase; each customer's purchases are numbered from 1.")
            ),
            Schema.required("productId", .string("The product identifier.")),
            Schema.required("quantity", .integer("The quantity.")),
            Schema.required(
                "reason",
                .string(
                    "Why it is pending: a parent must approve it, or the customer must complete it.",
                    oneOf: HeldPurchase.Reason.allCases.map(\.rawValue)
                )
            ),
            Schema.required("heldDate", .integer("When the purchase became pending, in milliseconds since 1970.")),
        ]
    )

    var heldPurchaseRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/held-purchases",
                id: "listHeldPurchases",
                tag: "held purchases",
                summary: "Lists a customer's pending purchases, oldest first.",
                response: .object(
                    "A customer's pending purchases.",
                    [
                        Schema.required("customer", .string("The customer.")),
                        Schema.required(
                            "heldPurchases",
                            .array("The pending purchases, oldest first.", of: Self.heldPurchase)
                        ),
                    ]
                )
            ) { exchange in
                let account = try await exchange.account()
                var json = JSONWriter()
                json.put("customer", account.customer)
                json.put("heldPurchases", objects: account.heldPurchases.map(Self.json))
                return json.finish()
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/held-purchases/{number}/approve",
                id: "approvePurchase",
                tag: "held purchases",
                summary: "Approves or completes a pending purchase.",
                request: .object(
                    "The time of the approval, and the device.",
                    [
                        Schema.optional("deviceId", .string("The device id of the purchase, a UUID.", format: "uuid")),
                        instantProperty,
                    ]
                ),
                response: Self.purchaseSchema
            ) { exchange in
                let device = try Self.device(exchange.body.text("deviceId"))
                let (held, account) = try await heldPurchase(exchange)
                let command = Command.decideHeldPurchase(number: held.number, approved: true)
                let outcome = try await perform(command, by: account, exchange)
                return try answer(to: held.purchase.productID, outcome, device: device)
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/held-purchases/{number}/decline",
                id: "declinePurchase",
                tag: "held purchases",
                summary: "Declines a pending purchase.",
                request: .object("When.", [instantProperty]),
                response: .object(
                    "The effects.",
                    [Schema.required("customer", .string("The customer."))] + Effects.properties
                )
            ) { exchange in
                let (held, account) = try await heldPurchase(exchange)
                let command = Command.decideHeldPurchase(number: held.number, approved: false)
                let outcome = try await perform(command, by: account, exchange)
                var json = JSONWriter()
                json.put("customer", account.customer)
                Effects(outcome).write(to: &json)
                return json.finish()
            },
        ]
    }

    private func heldPurchase(_ exchange: ControlExchange) async throws -> (HeldPurchase, Account) {
        let account = try await exchange.account()
        let number = Int64(exchange.parameter("number"))
        guard let held = account.heldPurchases.first(where: { $0.number == number }) else {
            throw Refusal.unknownHeldPurchase(number ?? 0)
        }
        return (held, account)
    }

    private static func json(_ held: HeldPurchase) -> [UInt8] {
        var json = JSONWriter()
        json.put("number", held.number)
        json.put("productId", held.purchase.productID)
        json.put("quantity", held.purchase.quantity)
        json.put("reason", held.reason.rawValue)
        json.put("heldDate", held.since)
        return json.finish()
    }
}
