import HTTPTypes
import TillCore
import TillJSON
import TillShop
import TillStorage

/// Operations on refunds and refund requests.
extension ControlAPI {
    static let refundRequestSchema = Schema.object(
        "An undecided refund request.",
        [
            Schema.required("customer", .string("The customer who requested the refund.")),
            Schema.required("transactionId", .string("The transaction id.")),
            Schema.required("reason", refundReason),
            Schema.required("requestedDate", .integer("The date of the request, in milliseconds since 1970.")),
            Schema.required(
                "decidedBy",
                .string(
                    "How the request is decided: the refund rule of the environment.",
                    oneOf: RefundRule.allCases.map(\.rawValue)
                )
            ),
            Schema.optional(
                "decisionDate",
                .integer("When the rule decides, in milliseconds since 1970; absent if the operator decides.")
            ),
            Schema.optional("refundPreference", .string("The preference that the developer sent.")),
            Schema.optional(
                "consumptionPercentage",
                .integer("The consumed percentage that the developer sent, in milliunits.")
            ),
        ]
    )

    private static let refundReason = Schema.string(
        "The customer's reason for the request.",
        oneOf: ConsumptionRequestReason.allCases.map(\.rawValue)
    )

    private static let refundRequests = Schema.required(
        "refundRequests",
        .array("Undecided refund requests, oldest first.", of: refundRequestSchema)
    )

    var refundRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund",
                id: "refund",
                tag: "refunds",
                summary:
                    "Refunds a transaction in full or in part, or the unused part of a subscription's period.",
                request: .object(
                    "The refund.",
                    [
                        Schema.optional(
                            "share",
                            .string("How much to refund; FULL by default.", oneOf: ["FULL", "UNUSED", "PART"])
                        ),
                        Schema.optional(
                            "percentage",
                            .integer("The refunded percentage in milliunits; only for PART.", 1...99_999)
                        ),
                        Schema.optional(
                            "reason",
                            .integer("The revocation reason: 1 for an issue in the app, 0 for any other reason.", 0...1)
                        ),
                        instantProperty,
                    ]
                ),
                response: Self.purchaseSchema
            ) { exchange in
                let share = try Self.share(exchange.body)
                let reason = exchange.body.number("reason") == 1 ? RevocationReason.issueInApp : .other
                return try await perform(onTransactionOf: exchange) {
                    .refund(Refund(transaction: $0, share: share, reason: reason))
                }
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund/reverse",
                id: "reverseRefund",
                tag: "refunds",
                summary: "Reverses a refund after a dispute with the customer.",
                request: .object("When.", [instantProperty]),
                response: Self.purchaseSchema
            ) { try await perform(onTransactionOf: $0) { .reverseRefund($0) } },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund/request",
                id: "requestRefund",
                tag: "refunds",
                summary:
                    "Requests a refund. The environment's refund rule decides, or the operator decides.",
                request: .object(
                    "The refund request.",
                    [Schema.optional("reason", Self.refundReason), instantProperty]
                ),
                response: Self.purchaseSchema
            ) { exchange in
                let reason = exchange.body.text("reason").flatMap(ConsumptionRequestReason.init(rawValue:))
                return try await perform(onTransactionOf: exchange) {
                    .requestRefund($0, reason ?? .unintendedPurchase)
                }
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{environment}/transactions/{transactionId}/refund/decline",
                id: "declineRefund",
                tag: "refunds",
                summary: "Declines a refund request.",
                request: .object("When.", [instantProperty]),
                response: Self.purchaseSchema
            ) { try await perform(onTransactionOf: $0) { .declineRefund($0) } },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/customers/{customer}/refund-requests",
                id: "listRefundRequestsOfCustomer",
                tag: "refunds",
                summary: "Lists a customer's undecided refund requests.",
                response: .object("A customer's refund requests.", [Self.refundRequests])
            ) { exchange in
                let account = try await exchange.account()
                var json = JSONWriter()
                json.put("refundRequests", objects: account.refundRequests.map { Self.json($0, account) })
                return json.finish()
            },
            ControlRoute(
                method: .get,
                path: "/v1/apps/{bundleId}/{environment}/refund-requests",
                id: "listRefundRequests",
                tag: "refunds",
                summary: "Lists the undecided refund requests of all customers, in pages.",
                query: [Schema.optional("after", .string("The value of `next` from the previous page."))],
                response: .object(
                    "A page of refund requests. More pages may follow an empty page.",
                    [
                        Self.refundRequests,
                        Self.damagedCustomers,
                        Schema.optional(
                            "next",
                            .string("The value of `after` for the next page; absent on the last page.")
                        ),
                    ]
                )
            ) { try await listRefundRequests($0) },
        ]
    }

    /// The maximum number of customers whose requests are read for one page.
    private static let customersOfPage = 1_000

    private func listRefundRequests(_ exchange: ControlExchange) async throws -> [UInt8] {
        let after = try exchange.query.values("after").first.map { text in
            guard let number = Int64(text) else {
                throw ControlError.bad("bad_page", "after must be an appTransactionId.", path: "after")
            }
            return AccountID(number)
        }
        let size = Self.customersOfPage
        let accounts = try await shop.storage.storedAccounts(of: try exchange.scope(), after: after, limit: size + 1)
        var json = JSONWriter()
        let page = accounts.prefix(size)
        let requests = page.compactMap(\.account).flatMap { account in
            account.refundRequests.map { Self.json($0, account) }
        }
        json.put("refundRequests", objects: requests)
        Self.put(damaged: page.compactMap(\.damage), to: &json)
        if accounts.count > size { json.put("next", accounts[size - 1].id.wireForm) }
        return json.finish()
    }

    static func json(_ request: RefundRequest, _ account: Account) -> [UInt8] {
        var json = JSONWriter()
        json.put("customer", account.customer)
        json.put("transactionId", request.transaction.wireForm)
        json.put("reason", request.reason.rawValue)
        json.put("requestedDate", request.since)
        json.put("decidedBy", request.rule.rawValue)
        json.put("decisionDate", request.decideAt)
        json.put("refundPreference", request.report?.preference?.rawValue)
        json.put("consumptionPercentage", request.report?.consumptionPercentage)
        return json.finish()
    }

    private static func share(_ body: ControlBody) throws -> Refund.Share {
        let percentage = body.number("percentage").map { Int($0) }
        switch (body.text("share"), percentage) {
        case (nil, nil), ("FULL", nil): return .full
        case ("UNUSED", nil): return .unused
        case (nil, let part?), ("PART", let part?): return .part(part)
        default:
            throw ControlError.bad(
                "bad_share",
                "percentage is required with the share PART, and not allowed otherwise.",
                path: "$.percentage"
            )
        }
    }
}
