/// A non-consumable in the form of version 0.1.0, which stored one entry for each product. This form is only read.
struct OwnedProduct010: Decodable {
    var transaction: TransactionID
    var ownership: InAppOwnershipType
    var sharedFrom: AccountID?
    var isRevoked: Bool

    /// The same product in the current form.
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
