/// The content of a verified token for an introductory offer.
package struct IntroductoryOfferGrant: Sendable, Equatable {
    /// The subscription product.
    package let productID: String
    /// Whether the customer may use the introductory offer.
    package let isAllowed: Bool
    /// The id of a transaction or app transaction of the customer.
    package let transactionID: String
    /// The nonce, which is valid once. The caller stores used nonces.
    package let nonce: String
    /// The date when the token was issued, in seconds since 1970. The caller decides how old a token may be.
    package let issuedAt: Double

    /// Checks that the token is for the purchased product.
    ///
    /// - Throws: ``OfferSignatureRefusal/mismatch(claim:value:expected:)``.
    package func check(productID: String) throws(OfferSignatureRefusal) {
        guard self.productID == productID else {
            throw .mismatch(claim: "productId", value: self.productID, expected: productID)
        }
    }
}
