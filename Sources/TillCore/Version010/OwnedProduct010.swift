/// A non-consumable as the earliest versions stored it, one entry for each product. Read only.
struct OwnedProduct010: Decodable {
    var transaction: TransactionID
    var ownership: Ownership
    var sharedFrom: AccountID?
    var isRevoked: Bool

    /// The same product in today's form.
    func ownedProduct(of productID: String) -> OwnedProduct {
        OwnedProduct(
            productID: productID,
            transaction: transaction,
            ownership: ownership,
            sharedFrom: sharedFrom,
            isRevoked: isRevoked
        )
    }
}
