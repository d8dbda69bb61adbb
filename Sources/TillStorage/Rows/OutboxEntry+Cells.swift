import TillCore

/// The stored form of a notification in every engine. The columns have a fixed order, and are written and read by
/// index.
extension OutboxEntry {
    /// The columns of the table `outbox`, in the order in which engines select them.
    package static let storedColumns = [
        "partition", "id", ShopTable.environment, "app", "account", "original_id", "transaction_id", "uuid", "type",
        "subtype",
        "is_triggered", "signed_date", "chain", "body", "body_signature", "transaction_info", "transaction_signature",
        "renewal_info", "renewal_signature",
    ]

    /// Reads a row.
    ///
    /// - Throws: `DamagedRow` if a value is one that no version of Till wrote.
    package init(_ cells: some StoredCells) throws(DamagedRow) {
        do throws(DamagedRow) {
            self = try Self.read(cells)
        } catch {
            throw error.naming((try? cells.integer(1)).map { "id \($0)" })
        }
    }

    private static func read(_ cells: some StoredCells) throws(DamagedRow) -> OutboxEntry {
        let chain = try cells.text(12)
        let (account, original) = (try cells.maybeInteger(4), try cells.maybeInteger(5))
        let transaction = try cells.maybeInteger(6)
        return OutboxEntry(
            id: NotificationID(try cells.integer(1)),
            scope: AccountScope(
                environment: try cells.known(2, StoreEnvironment.init(rawValue:)),
                app: try cells.text(3)
            ),
            account: account.map { AccountID($0) },
            original: original.map { TransactionID($0) },
            transaction: transaction.map { TransactionID($0) },
            uuid: try cells.text(7),
            type: try cells.text(8),
            subtype: try cells.maybeText(9),
            isTriggered: try cells.integer(10) != 0,
            signedDate: Timestamp(milliseconds: try cells.integer(11)),
            body: SignedPart(payload: try cells.bytes(13), signature: try cells.bytes(14)),
            transactionInfo: try part(cells, 15),
            renewalInfo: try part(cells, 17),
            chain: chain.isEmpty ? nil : chain
        )
    }

    private static func part(_ cells: some StoredCells, _ place: Int) throws(DamagedRow) -> SignedPart? {
        guard let payload = try cells.maybeBytes(place), let signature = try cells.maybeBytes(place + 1) else {
            return nil
        }
        return SignedPart(payload: payload, signature: signature)
    }
}
