import HTTPTypes
import TillControl
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Lists the transactions of a customer's ledger, unsigned.
extension ControlAPI {
    private static let rowSchema = Schema.object(
        "A transaction of the ledger.",
        [
            Schema.required("transactionId", .string("The transaction id.")),
            Schema.required("originalTransactionId", .string("The original transaction id.")),
            Schema.required("productId", .string("The product identifier.")),
            Schema.required("type", .string("The product's type, as in signed transactions.")),
            Schema.optional(
                "subscriptionGroupIdentifier",
                .string("The subscription group; only for auto-renewables.")
            ),
            Schema.required("transactionReason", .string("The reason of the transaction: PURCHASE or RENEWAL.")),
            Schema.required("inAppOwnershipType", .string("The ownership: PURCHASED or FAMILY_SHARED.")),
            Schema.required("purchaseDate", .integer("The purchase date, in milliseconds since 1970.")),
            Schema.optional(
                "expiresDate",
                .integer("The end of the period, in milliseconds since 1970; only for auto-renewables.")
            ),
            Schema.required("quantity", .integer("The quantity.")),
            Schema.optional("price", .integer("The total price in milliunits; absent for a family member's copy.")),
            Schema.optional("currency", .string("The currency of the price, as an ISO 4217 code.")),
            Schema.required("storefront", .string("The storefront of the purchase.")),
            Schema.optional("orderId", .string("The order id on the customer's invoice.")),
            Schema.optional(
                "offerType",
                .integer("The offer type: 1 introductory, 2 promotional, 3 code, 4 win-back.")
            ),
            Schema.optional("offerIdentifier", .string("The offer's identifier; absent for introductory offers.")),
            Schema.optional(
                "offerDiscountType",
                .string("The payment mode: FREE_TRIAL, PAY_AS_YOU_GO, PAY_UP_FRONT or ONE_TIME.")
            ),
            Schema.optional(
                "revocationDate",
                .integer("The date of the refund, or of the end of sharing; absent while not revoked.")
            ),
            Schema.optional("revocationType", .string("The type of the revocation.")),
            Schema.optional("revocationPercentage", .integer("The refunded percentage of the price, in milliunits.")),
            Schema.required("isUpgraded", .boolean("Whether an upgrade replaced the transaction.")),
            Schema.required("isFinished", .boolean("Whether the app has finished the transaction.")),
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
                    "A page of transactions.",
                    [
                        Schema.required("transactions", .array("The transactions on the page.", of: Self.rowSchema)),
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
            "limit must be 1 to 100. after must be the value of next from the previous page.",
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
