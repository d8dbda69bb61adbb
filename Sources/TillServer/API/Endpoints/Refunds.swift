import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The endpoint Get Refund History, version 2 and version 1 (docs/api/refunds.md).
extension AppleAPI {
    var refunds: [Endpoint] {
        [
            Endpoint(.get, "/inApps/v2/refund/lookup/{id}") { try await refundHistory($0) },
            Endpoint(.get, "/inApps/v1/refund/lookup/{id}") { try await latestRefunds($0) },
        ]
    }

    private func refundHistory(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        let revision = try exchange.query.value("revision", orThrow: .invalidRequestRevision)
        let account = try await customer(number, in: exchange.scope, orThrow: .transactionIDNotFound)
        let epoch = shop.restoreEpoch(of: exchange.scope.app)
        var cursor = Cursor(route: .refunds, account: account, position: 0, restoreEpoch: epoch)
        if let revision { cursor.position = try resume(revision, expecting: cursor) ?? 0 }

        let found = try await shop.storage.refunds(of: account, after: cursor.position, limit: 21)
        let rows = found.prefix(20)
        cursor.position = rows.last?.refundNumber ?? cursor.position
        var json = JSONWriter(capacity: 8_192 * (rows.count + 1))
        json.put("signedTransactions", try await signed(Array(rows), exchange))
        json.put("revision", shop.cursors.seal(cursor))
        json.put("hasMore", found.count > rows.count)
        return .json(json.finish())
    }

    private func latestRefunds(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidOriginalTransactionID)
        let account = try await original(number, in: exchange.scope).account
        let rows = try await shop.storage.latestRefunds(of: account, limit: 50)
        var json = JSONWriter(capacity: 8_192 * (rows.count + 1))
        json.put("signedTransactions", try await signed(rows, exchange))
        return .json(json.finish())
    }
}
