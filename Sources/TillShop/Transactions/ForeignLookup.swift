import TillCore
import TillStorage

/// Finds transactions by the ids in payloads and answers, which are another server's for imported customers.
extension Shop {
    /// The account and Till's own id of a transaction; nil if no transaction of the app's environment has this id.
    package func transaction(shown number: Int64, in scope: AccountScope) async throws -> (
        owner: AccountID, id: TransactionID
    )? {
        let id = TransactionID(number)
        if let owner = try await storage.owner(of: id, in: scope) { return (owner, id) }
        guard let known = try await storage.foreignIdentifier(.transaction, String(number), in: scope) else {
            return nil
        }
        return (known.account, TransactionID(known.own))
    }

    /// The account of a transaction in a receipt; nil if there is none.
    func owner(ofShown text: String, in scope: AccountScope) async throws -> AccountID? {
        guard let number = Int64(text), number > 0 else { return nil }
        return try await transaction(shown: number, in: scope)?.owner
    }
}
