import TillCore
import TillShop
import TillStorage

/// Resolves ids in paths, with the documented errors for wrong ids (docs/api/identifiers.md).
extension AppleAPI {
    /// Reads an id: up to 19 digits, no leading zero.
    ///
    /// - Throws: the error given.
    func number(_ text: String, orThrow error: APIError) throws -> Int64 {
        guard
            (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.first != "0", let number = Int64(text)
        else {
            let shown = text.prefix(64)
            throw error.because(
                shown == "0"
                    ? "The id is 0, as transactions from Xcode have it; such ids are no store's."
                    : "\"\(shown)\" is not an id: an id is 1 to 19 digits and does not begin with 0."
            )
        }
        return number
    }

    /// The customer of a transaction id, an original transaction id or an app transaction id.
    func customer(_ exchange: Exchange) async throws -> AccountID {
        let number = try number(exchange.parameter, orThrow: .invalidTransactionID)
        try refuseHidden(TransactionID(number), exchange, .transactionIDNotFound)
        return try await customer(number, in: exchange.scope, orThrow: .transactionIDNotFound)
    }

    /// A staleReads fault hides new purchases.
    func refuseHidden(_ id: TransactionID, _ exchange: Exchange, _ error: APIError) throws {
        guard isHidden(id, exchange) else { return }
        throw error.because("A fault (staleReads) hides transaction \(id.number) for a while.")
    }

    /// Whether a fault hides a transaction for a while.
    func isHidden(_ id: TransactionID, _ exchange: Exchange) -> Bool {
        exchange.readGap.map { shop.recentRows.isYounger(id, than: $0) } ?? false
    }

    func customer(_ number: Int64, in scope: AccountScope, orThrow error: APIError) async throws -> AccountID {
        if AccountID.hasShape(number) {
            if let account = try await shop.storage.account(AccountID(number)), Self.lies(account, in: scope) {
                return account.id
            }
        } else if let owner = try await shop.storage.owner(of: TransactionID(number), in: scope) {
            return owner
        }
        throw error.because(try await whereabouts(of: number, not: scope))
    }

    /// A transaction by its own id.
    ///
    /// - Throws: `missing` if there is none, `appTransactionIDNotSupported` for an app transaction id.
    func transaction(_ number: Int64, in scope: AccountScope, orThrow missing: APIError) async throws -> Transaction {
        let owner = try await customer(number, in: scope, orThrow: missing)
        if AccountID.hasShape(number) {
            throw APIError.appTransactionIDNotSupported.because(
                "\(number) is an app transaction id; this route takes the id of a transaction."
            )
        }
        guard let row = try await shop.storage.transaction(TransactionID(number)), row.account == owner else {
            throw missing
        }
        return row
    }

    private static func lies(_ account: Account, in scope: AccountScope) -> Bool {
        account.environment == scope.environment && account.app == scope.app
    }

    /// The app or environment that has the id, for the explanation.
    private func whereabouts(of number: Int64, not scope: AccountScope) async throws -> String {
        let account: Account?
        if AccountID.hasShape(number) {
            account = try await shop.storage.account(AccountID(number))
        } else if let row = try await shop.storage.transaction(TransactionID(number)) {
            account = try await shop.storage.account(row.account)
        } else {
            account = nil
        }
        guard let account else { return "\(number) is not an id of this store, in either environment." }
        if account.app != scope.app {
            return "\(number) belongs to another app, \(account.app); the token's bid is \(scope.app)."
        }
        return
            "\(number) is in the environment \(account.environment.wireName); this is \(scope.environment.wireName). "
            + "Apple's clients try the other environment on this answer."
    }
}
