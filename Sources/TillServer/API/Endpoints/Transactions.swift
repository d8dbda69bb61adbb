import Foundation
import HTTPTypes
import Hummingbird
import TillCore
import TillJSON
import TillShop
import TillStorage

/// The endpoints Get Transaction Info, Finish Transaction and Set App Account Token (docs/api/transactions.md).
extension AppleAPI {
    var transactions: [Endpoint] {
        [
            Endpoint(.get, "/inApps/v1/transactions/{id}") { try await transactionInfo($0) },
            Endpoint(.post, "/inApps/v1/transactions/{id}/finish") { try await finish($0) },
            Endpoint(.put, "/inApps/v1/transactions/{id}/appAccountToken") { try await setAppAccountToken($0) },
        ]
    }

    private func transactionInfo(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        try refuseHidden(TransactionID(number), exchange, .transactionIDNotFound)
        let row = try await transaction(number, in: exchange.scope, orThrow: .transactionIDNotFound)
        var json = JSONWriter(capacity: 8_192)
        json.put("signedTransactionInfo", try await signed([row], exchange)[0])
        return .json(json.finish())
    }

    private func finish(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        let row = try await transaction(number, in: exchange.scope, orThrow: .transactionIDNotFound)
        _ = try await perform(.finish(row.id), on: row, exchange)
        return Response(status: .ok)
    }

    private func setAppAccountToken(_ exchange: Exchange) async throws -> Response {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        let token = try Self.token(in: try await exchange.object())
        let row = try await transaction(number, in: exchange.scope, orThrow: .originalTransactionIDNotFound)
        do {
            _ = try await perform(.setAppAccountToken(row.id, token: token), on: row, exchange)
        } catch let refusal as Refusal {
            switch refusal {
            case .familyShared: throw APIError.familyTransactionNotSupported.because(refusal.explanation)
            case .notOriginal: throw APIError.transactionIDIsNotOriginal.because(refusal.explanation)
            case .badAppAccountToken: throw APIError.invalidAppAccountTokenUUID.because(refusal.explanation)
            default: throw refusal
            }
        }
        return Response(status: .ok)
    }

    /// Runs a command for a transaction, in the account of the transaction's customer.
    func perform(_ command: Command, on row: Transaction, _ exchange: Exchange) async throws -> Outcome {
        guard let account = try await shop.storage.account(row.account) else { throw APIError.generalInternal }
        return try await shop.gate.shared {
            try await shop.perform(command, by: CustomerName(exchange.scope, account.customer))
        }
    }

    /// Reads the token of a body. The error for a body that is not a JSON object has no code, the error for an invalid
    /// UUID has one.
    private static func token(in body: RequestBody) throws -> String {
        guard let token = body.text("appAccountToken").flatMap(UUIDText.canonical) else {
            throw APIError.invalidAppAccountTokenUUID.because("appAccountToken is missing or is not a UUID.")
        }
        return token
    }
}
