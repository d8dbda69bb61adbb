import TillControl
import TillCore
import TillShop
import TillStorage

/// Operations on refunds and refund requests.
extension ControlAPI {
    var refundRoutes: [ControlRoute] {
        [
            ControlRoute(RefundTransaction.self) { call in
                let share = try Self.share(call.request)
                return try await perform(onTransactionOf: call, at: call.at) {
                    .refund(Refund(transaction: $0.id, share: share, reason: call.reason ?? .other))
                }
            },
            ControlRoute(ReverseRefund.self) { call in
                try await perform(onTransactionOf: call, at: call.at) { .reverseRefund($0.id) }
            },
            ControlRoute(RequestRefund.self) { call in
                try await perform(onTransactionOf: call, at: call.at) {
                    .requestRefund($0.id, call.reason ?? .unintendedPurchase)
                }
            },
            ControlRoute(DeclineRefund.self) { call in
                try await perform(onTransactionOf: call, at: call.at) { .declineRefund($0.id) }
            },
            ControlRoute(ListRefundRequests.self) { try await listRefundRequests($0) },
        ]
    }

    /// The maximum number of customers whose requests are read for one page.
    private static let customersOfPage = 1_000

    private func listRefundRequests(_ call: ControlCall<ListRefundRequests>) async throws -> RefundRequestList {
        if let customer = call.customer {
            guard call.after == nil else {
                throw ControlError.bad("bad_page", "after is not allowed with customer.", path: "after")
            }
            let account = try await call.account(of: customer)
            return RefundRequestList(
                refundRequests: account.refundRequests.map { RefundRequestInfo($0, of: account) }
            )
        }
        let page = try await accounts(of: try call.scope(), after: call.after, limit: Self.customersOfPage)
        return RefundRequestList(
            refundRequests: page.accounts.flatMap { account in
                account.refundRequests.map { RefundRequestInfo($0, of: account) }
            },
            damaged: page.damaged,
            next: page.next
        )
    }

    private static func share(_ request: RefundTransaction) throws -> Refund.Share {
        switch (request.share, request.percentage) {
        case (nil, nil), (.full, nil): return .full
        case (.unused, nil): return .unused
        case (nil, let part?), (.part, let part?): return .part(part)
        default:
            throw ControlError.bad(
                "bad_share",
                "percentage is required with the share PART, and not allowed otherwise.",
                path: "$.percentage"
            )
        }
    }
}

extension RefundRequestInfo {
    init(_ request: RefundRequest, of account: Account) {
        self.init(
            customer: account.customer,
            transactionId: request.transaction.wireForm,
            reason: request.reason,
            requestedDate: request.since,
            decidedBy: request.rule,
            decisionDate: request.decideAt,
            refundPreference: request.report?.preference,
            consumptionPercentage: request.report?.consumptionPercentage
        )
    }
}
