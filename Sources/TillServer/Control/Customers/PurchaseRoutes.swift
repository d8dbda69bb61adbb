import Foundation
import HTTPTypes
import TillCore
import TillShop
import TillSigning
import TillStorage

/// Operations on purchases, and on the data that the device gives to the app.
extension ControlAPI {
    var purchaseRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/purchases",
                id: "buy",
                tag: "purchases",
                summary:
                    "Makes a purchase. Creates the customer if necessary. Answers 200 for an owned non-consumable.",
                request: purchaseRequest,
                response: Self.boughtSchema,
                status: .created,
                unchangedStatus: .ok
            ) { try await buy($0) },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}",
                id: "getTransaction",
                tag: "purchases",
                summary: "Shows a transaction, signed now, with the data that the device gives to the app.",
                query: [Schema.optional("deviceId", .string("The device id, a UUID; a new one by default."))],
                response: Self.purchaseSchema
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                let device = try Self.device(exchange.query.values("deviceId").first)
                return try json(row, account, device: device, Effects())
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/finish",
                id: "finishTransaction",
                tag: "purchases",
                summary: "Finishes a transaction, as the app does on the customer's device.",
                response: Self.purchaseSchema
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                let name = CustomerName(try exchange.scope(), account.customer)
                let outcome = try await shop.perform(.finish(row.id), by: name)
                return try json(row, outcome.account, device: UUID(), Effects(outcome))
            },
        ]
    }

    private func buy(_ exchange: ControlExchange) async throws -> [UInt8] {
        let body = exchange.body
        let name = try exchange.customer()
        // The purchase creates an account for a customer who does not exist.
        _ = try ControlExchange.checked(newCustomer: name.customer)
        let device = try Self.device(body.text("deviceId"))
        let purchase = try await purchase(of: body.text("productId") ?? "", body, by: name)
        let outcome = try await shop.perform(
            .purchase(purchase),
            by: name,
            at: body.instant("at"),
            opening: try Self.opening(body)
        )
        exchange.isUnchanged.value = outcome.alreadyOwned != nil
        // Creating the receipt of a long history is slow, so it is created on request only.
        let receipt =
            body.flag("receipt") == true ? try await shop.appReceipt(of: outcome.account, device: device) : nil
        return try answer(to: purchase.productID, outcome, device: device, receipt: receipt.map(Base64.encode))
    }

    /// Writes the result of a purchase: the new transaction, or the existing transaction of an owned product. A change
    /// for the next period adds no transaction, so the answer has the current transaction. For a pending purchase, the
    /// answer has its number.
    func answer(to productID: String, _ outcome: Outcome, device: UUID, receipt: String? = nil) throws -> [UInt8] {
        for case .purchaseHeld(outcome.account.id, let number) in outcome.events {
            return held(number, outcome)
        }
        let account = outcome.account
        let group = shop.registry.catalog(of: account.app).products[productID]?.plan?.groupID
        let bought =
            outcome.alreadyOwned
            ?? group.flatMap { account.subscription(toGroup: $0)?.latestTransaction }
            ?? outcome.ledger.transactionChanges.last {
                $0.after.account == account.id && $0.after.productID == productID
            }?
            .after
        guard let row = bought else {
            throw ControlError.conflict("nothing_bought", "The purchase created no transaction.")
        }
        let result = outcome.ledger.purchaseResult
        return try json(row, account, device: device, receipt: receipt, result: result, Effects(outcome))
    }

    static func device(_ text: String?) throws -> UUID {
        guard let text else { return UUID() }
        guard let device = UUID(uuidString: text) else {
            throw ControlError.bad("bad_device_id", "A device id must be a UUID.", path: "$.deviceId")
        }
        return device
    }
}
