/// A non-consumable as the first accounts kept it, one for each product. Only read.
struct OwnedProduct010: Decodable {
    var transaction: TransactionID
    var ownership: Ownership
    var sharedFrom: AccountID?
    var isRevoked: Bool

    /// The same product as this version has it.
    func holding(of productID: String) -> Holding {
        Holding(
            productID: productID,
            transaction: transaction,
            ownership: ownership,
            sharedFrom: sharedFrom,
            isRevoked: isRevoked
        )
    }
}
