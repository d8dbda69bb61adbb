import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The endpoint Get All Subscription Statuses (docs/api/subscriptions.md).
extension AppleAPI {
    var subscriptions: [Endpoint] {
        [
            Endpoint(.get, "/inApps/v1/subscriptions/{id}", appErrors: .documented) {
                try await subscriptionStatuses($0)
            }
        ]
    }

    private func subscriptionStatuses(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        let wanted = try Self.statuses(exchange.query)
        try refuseHidden(TransactionID(number), exchange, .transactionIDNotFound)
        let id = try await customer(number, in: exchange.scope, orThrow: .transactionIDNotFound)
        guard let account = try await shop.storage.account(id) else { throw APIError.transactionIDNotFound }
        let instant = try await shop.instantOfState(of: account)

        let chosen = account.heldSubscriptions.filter {
            (wanted.isEmpty || wanted.contains($0.status)) && !isHidden($0.latestTransaction.id, exchange)
        }
        let groups = Dictionary(grouping: chosen, by: \.groupID).sorted { $0.key < $1.key }
        let data = try groups.map { group, subscriptions in
            var json = JSONWriter()
            json.put("subscriptionGroupIdentifier", group)
            json.put(
                "lastTransactions",
                objects: try subscriptions.sorted(by: { $0.originalID < $1.originalID }).map {
                    try item($0, account, standing: instant)
                }
            )
            return json.finish()
        }
        var json = JSONWriter()
        json.put("environment", environment.wireName)
        json.put("bundleId", exchange.caller.app.bundleID)
        json.put("appAppleId", exchange.caller.app.appleID)
        json.put("data", objects: data)
        return .json(json.finish())
    }

    /// - Parameter instant: the simulated time for which the account's state is reported.
    private func item(
        _ subscription: some HeldSubscription,
        _ account: Account,
        standing instant: Timestamp
    ) throws -> [UInt8] {
        let now = shop.now(of: account)
        var json = JSONWriter(capacity: 16_384)
        json.put("originalTransactionId", subscription.shownOriginalID)
        json.put("status", subscription.status.rawValue)
        json.put(
            "signedTransactionInfo",
            try shop.signed(subscription.latestTransaction, environment: environment, app: account.app, at: now)
        )
        json.put(
            "signedRenewalInfo",
            try shop.signedRenewalInfo(of: subscription, held: account, standing: instant, at: now)
        )
        return json.finish()
    }

    private static func statuses(_ query: Query) throws -> Set<SubscriptionStatus> {
        Set(
            try query.values("status").map { text in
                guard text.utf8.count == 1, let status = Int(text).flatMap(SubscriptionStatus.init(rawValue:)) else {
                    throw APIError.invalidStatus.because("status is \"\(text.prefix(64))\"; it must be 1 to 5.")
                }
                return status
            }
        )
    }
}
