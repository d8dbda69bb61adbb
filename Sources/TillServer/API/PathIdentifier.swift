import TillCore
import TillShop
import TillStorage

/// Finds the customers and transactions of ids in paths. Wrong ids get the documented errors
/// (docs/api/identifiers.md).
extension AppleAPI {
    /// Parses an id: up to 19 digits without a leading zero.
    ///
    /// - Throws: `error` for anything else.
    func number(_ text: String, orThrow error: APIError) throws -> Int64 {
        guard
            (1...19).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            text.first != "0", let number = Int64(text)
        else {
            let shown = text.prefix(64)
            throw error.because(
                shown == "0"
                    ? "The id is 0. Transactions from Xcode's StoreKit testing have this id, and no server knows them."
                    : "\"\(shown)\" is not an id: an id must have 1 to 19 digits and not begin with 0."
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

    /// Refuses a transaction that a `staleReads` fault hides because it is new.
    func refuseHidden(_ id: TransactionID, _ exchange: Exchange, _ error: APIError) throws {
        guard isHidden(id, exchange) else { return }
        throw error.because("A fault (staleReads) hides the new transaction \(id.number).")
    }

    /// Whether a `staleReads` fault hides a transaction now.
    func isHidden(_ id: TransactionID, _ exchange: Exchange) -> Bool {
        exchange.readGap.map { shop.faults.recentRows.isYounger(id, than: $0) } ?? false
    }

    func customer(_ number: Int64, in scope: AccountScope, orThrow error: APIError) async throws -> AccountID {
        try await owner(of: number, in: scope, orThrow: error).account
    }

    /// The customer of an id, and Till's own number for the id. They differ only for the id of another store.
    func owner(of number: Int64, in scope: AccountScope, orThrow error: APIError) async throws -> (
        account: AccountID, number: Int64
    ) {
        if AccountID.hasShape(number) {
            if let account = try await shop.storage.account(AccountID(number)), Self.lies(account, in: scope) {
                return (account.id, number)
            }
        } else if let owner = try await shop.storage.owner(of: TransactionID(number), in: scope) {
            return (owner, number)
        }
        if let known = try await shop.storage.foreignIdentifier(.transaction, String(number), in: scope) {
            return (known.account, known.own)
        }
        throw error.because(try await whereabouts(of: number, not: scope))
    }

    /// The transaction with an id.
    ///
    /// - Throws: `missing` for an unknown id, `appTransactionIDNotSupported` for an app transaction id.
    func transaction(_ number: Int64, in scope: AccountScope, orThrow missing: APIError) async throws -> Transaction {
        let (owner, own) = try await owner(of: number, in: scope, orThrow: missing)
        if AccountID.hasShape(own) {
            throw APIError.appTransactionIDNotSupported.because(
                "\(number) is an app transaction id. This route needs a transaction id."
            )
        }
        guard let row = try await shop.storage.transaction(TransactionID(own)), row.account == owner else {
            throw missing
        }
        return row
    }

    /// The original transaction with an id.
    func original(_ number: Int64, in scope: AccountScope) async throws -> Transaction {
        let own = try await owner(of: number, in: scope, orThrow: .originalTransactionIDNotFound).number
        if AccountID.hasShape(own) {
            throw APIError.invalidOriginalTransactionID.because("\(number) is an app transaction id.")
        }
        guard let row = try await shop.storage.transaction(TransactionID(own)), row.isOriginal else {
            throw APIError.originalTransactionIDNotFound.because("\(number) is not an original transaction id.")
        }
        return row
    }

    private static func lies(_ account: Account, in scope: AccountScope) -> Bool {
        account.environment == scope.environment && account.app == scope.app
    }

    /// Explains which app or environment an id belongs to, when it does not belong to the caller's.
    private func whereabouts(of number: Int64, not scope: AccountScope) async throws -> String {
        let account: Account?
        if AccountID.hasShape(number) {
            account = try await shop.storage.account(AccountID(number))
        } else if let row = try await shop.storage.transaction(TransactionID(number)) {
            account = try await shop.storage.account(row.account)
        } else {
            account = nil
        }
        guard let account else { return "\(number) does not exist on this server, in either environment." }
        if account.app != scope.app {
            return "\(number) belongs to another app, \(account.app); the token's bid is \(scope.app)."
        }
        return
            "\(number) is in the environment \(account.environment.wireName), not \(scope.environment.wireName). "
            + "Clients should try the other environment on this answer, as Apple recommends."
    }
}
