import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The endpoint Get App Transaction Info (docs/api/transactions.md).
extension AppleAPI {
    var appTransactions: [Endpoint] {
        [Endpoint(.get, "/inApps/v1/transactions/appTransactions/{id}") { try await appTransactionInfo($0) }]
    }

    private func appTransactionInfo(_ exchange: Exchange) async throws -> Response {
        let id = try await customer(exchange)
        guard
            let account = try await shop.storage.account(id),
            let signed = try shop.signedAppTransaction(of: account, at: shop.now(of: account))
        else {
            throw APIError.appTransactionDoesNotExist.because("The customer has never downloaded the app.")
        }
        var json = JSONWriter(capacity: 8_192)
        json.put("signedAppTransactionInfo", signed)
        return .json(json.finish())
    }
}
