import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The transactions of a customer's ledger, unsigned.
extension ControlAPI {
    private static let rowSchema = Schema.object(
        "A transaction of the ledger.",
        [
            Schema.required("transactionId", .string("The transaction.")),
            Schema.required("originalTransactionId", .string("Its original transaction.")),
            Schema.required("productId", .string("The product.")),
            Schema.required("type", .string("The product's type, as in signed transactions.")),
            Schema.optional("subscriptionGroupIdentifier", .string("Only for auto-renewables.")),
            Schema.required("transactionReason", .string("PURCHASE or RENEWAL.")),
            Schema.required("inAppOwnershipType", .string("PURCHASED or FAMILY_SHARED.")),
            Schema.required("purchaseDate", .integer("Milliseconds since 1970.")),
            Schema.optional("expiresDate", .integer("Only for auto-renewables.")),
            Schema.required("quantity", .integer("The quantity.")),
            Schema.optional("price", .integer("The total in milliunits; absent for a family member's copy.")),
            Schema.optional("currency", .string("ISO 4217.")),
            Schema.required("storefront", .string("The storefront of the purchase.")),
            Schema.optional("orderId", .string("The order id on the customer's invoice.")),
            Schema.optional("offerType", .integer("1 introductory, 2 promotional, 3 code, 4 win-back.")),
            Schema.optional("offerIdentifier", .string("The offer's identifier; absent for introductory offers.")),
            Schema.optional("offerDiscountType", .string("FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME.")),
            Schema.optional("revocationDate", .integer("Present while it is refunded or no longer shared.")),
            Schema.optional("revocationType", .string("The kind of revocation.")),
            Schema.optional("revocationPercentage", .integer("The refunded percentage in milliunits.")),
            Schema.required("isUpgraded", .boolean("Whether an upgrade replaced it.")),
            Schema.required("isFinished", .boolean("Whether the app has finished it.")),
        ]
    )

    var ledgerRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/transactions",
                id: "listTransactions",
                tag: "customers",
                summary: "Lists a customer's transactions, the most recently changed first, in pages.",
                query: [
                    Schema.optional("after", .string("The value of `next` from the previous page.")),
                    Schema.optional("limit", .string("Maximum number of results, 1 to 100; 50 by default.")),
                ],
                response: .object(
                    "A page.",
                    [
                        Schema.required("transactions", .array("The page.", of: Self.rowSchema)),
                        Schema.optional(
                            "next",
                            .string("The value of `after` for the next page; absent on the last page.")
                        ),
                    ]
                )
            ) { try await listTransactions($0) }
        ]
    }

    private func listTransactions(_ exchange: ControlExchange) async throws -> [UInt8] {
        let account = try await exchange.account()
        let wrong = ControlError.bad(
            "bad_page",
            "limit must be 1 to 100, and after the value of next from a page.",
            path: "limit"
        )
        var query = HistoryQuery(account: account.id, isAscending: false, limit: 50)
        if let text = exchange.query.values("limit").first {
            guard let limit = Int(text), (1...100).contains(limit) else { throw wrong }
            query.limit = limit
        }
        if let text = exchange.query.values("after").first {
            guard let position = Int64(text), position > 0 else { throw wrong }
            query.position = position
        }
        let page = try await shop.storage.history(query)
        var json = JSONWriter()
        json.put("transactions", objects: page.rows.map(Self.json))
        if page.hasMore { json.put("next", page.rows.last.map { String($0.change) }) }
        return json.finish()
    }

    private static func json(_ row: Transaction) -> [UInt8] {
        var json = JSONWriter()
        json.put("transactionId", row.id.wireForm)
        json.put("originalTransactionId", row.originalID.wireForm)
        json.put("productId", row.productID)
        json.put("type", row.type.wireName)
        json.put("subscriptionGroupIdentifier", row.groupID)
        json.put("transactionReason", row.reason.rawValue)
        json.put("inAppOwnershipType", row.ownership.rawValue)
        json.put("purchaseDate", row.purchaseDate)
        json.put("expiresDate", row.expiresDate)
        json.put("quantity", row.quantity)
        json.put("price", row.price?.milliunits)
        json.put("currency", row.price?.currency)
        json.put("storefront", row.storefront.code)
        json.put("orderId", row.order?.wireForm)
        json.put("offerType", row.offer?.kind.rawValue)
        json.put("offerIdentifier", row.offer?.id)
        json.put("offerDiscountType", row.offer?.mode.rawValue)
        json.put("revocationDate", row.revocation?.date)
        json.put("revocationType", row.revocation?.kind.rawValue)
        json.put("revocationPercentage", row.revocation?.percentage)
        json.put("isUpgraded", row.isUpgraded)
        json.put("isFinished", row.isFinished)
        return json.finish()
    }
}
