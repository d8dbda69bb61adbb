/// The content of a verified introductory-offer token.
package struct IntroductoryOfferGrant: Sendable, Equatable {
    /// The subscription.
    package let productID: String
    /// Whether the customer may use the introductory offer.
    package let isAllowed: Bool
    /// A transaction or app transaction of the customer.
    package let transactionID: String
    /// Valid once; the caller stores used ones.
    package let nonce: String
    /// When the token was issued, in seconds since 1970. The caller decides how old it may be.
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
