import Foundation
import HTTPTypes
import TillCore
import TillShop

/// Refunds as the store grants them, and their reversal.
extension ControlAPI {
    var refundRoutes: [ControlRoute] {
        [
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{realm}/transactions/{transactionId}/refund",
                id: "refund",
                tag: "refunds",
                summary: "Refunds a transaction, in full, in part, or the unused part of a subscription's period.",
                request: .object(
                    "A refund.",
                    [
                        Schema.optional("share", .string("FULL by default.", oneOf: ["FULL", "UNUSED", "PART"])),
                        Schema.optional("percentage", .integer("For PART: thousandths of a percent.", 1...99_999)),
                        Schema.optional("reason", .integer("1 for an issue in the app, 0 for any other.", 0...1)),
                        Schema.optional("at", .integer("When, in milliseconds since 1970; now by default.", instants)),
                    ]
                ),
                response: Self.purchaseSchema
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                let refund = Refund(
                    transaction: row.id,
                    share: try Self.share(exchange.body),
                    reason: exchange.body.number("reason") == 1 ? .issueInApp : .other
                )
                return try await act(.refund(refund), on: row, account, exchange)
            },
            ControlRoute(
                method: .post,
                path: "/v1/apps/{bundleId}/{realm}/transactions/{transactionId}/refund/reverse",
                id: "reverseRefund",
                tag: "refunds",
                summary: "Takes a refund back after a dispute.",
                request: .object(
                    "When.",
                    [Schema.optional("at", .integer("Milliseconds since 1970; now by default.", instants))]
                ),
                response: Self.purchaseSchema
            ) { exchange in
                let (row, account) = try await exchange.transaction()
                return try await act(.reverseRefund(row.id), on: row, account, exchange)
            },
        ]
    }

    private func act(
        _ command: Command,
        on row: Transaction,
        _ account: Account,
        _ exchange: ControlExchange
    ) async throws -> [UInt8] {
        let name = CustomerName(try exchange.scope(), account.customer)
        let outcome = try await shop.perform(command, by: name, at: exchange.body.instant("at"))
        return try json(outcome.ledger.rows[row.id] ?? row, outcome.account, device: UUID(), events: outcome.events)
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
                "percentage goes with the share PART, and PART needs it.",
                path: "$.percentage"
            )
        }
    }
}
