import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillSigning
import TillStorage

/// The endpoint Look Up Order ID (docs/api/orders.md). Apple serves it in production only; Till also serves it in the
/// sandbox, if `orderLookupInSandbox` is on.
extension AppleAPI {
    var orders: [Endpoint] {
        [Endpoint(.get, "/inApps/v1/lookup/{id}") { try await lookUp($0) }]
    }

    private func lookUp(_ exchange: Exchange) async throws -> Response {
        guard environment == .production || shop.settings.orderLookupInSandbox else {
            throw APIError.noSuchRoute("Order lookup is off in the sandbox (setting orderLookupInSandbox).")
        }
        let text = exchange.parameter
        guard text.isPlain(1...32) else {
            throw APIError.generalBadRequest.because("An order id must be 1 to 32 letters and digits.")
        }
        let rows = try await transactions(inOrder: text, exchange)
        var json = JSONWriter(capacity: 8_192 * (rows.count + 1))
        // 1 means an unknown order; then the list is missing, not empty.
        json.put("status", rows.isEmpty ? 1 : 0)
        if !rows.isEmpty { json.put("signedTransactions", try await signed(rows, exchange)) }
        return .json(json.finish())
    }

    private func transactions(inOrder text: String, _ exchange: Exchange) async throws -> [Transaction] {
        if let order = OrderID(wireForm: text) {
            let rows = try await shop.storage.transactions(in: order)
            if let first = rows.first, try await shop.storage.owner(of: first.id, in: exchange.scope) != nil {
                return rows.filter { !isHidden($0.id, exchange) }
            }
        }
        guard let known = try await shop.storage.foreignIdentifier(.order, text, in: exchange.scope) else { return [] }
        return try await shop.storage.transactions(in: OrderID(known.own)).filter { !isHidden($0.id, exchange) }
    }
}
