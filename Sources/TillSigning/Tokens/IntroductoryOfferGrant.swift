/// What a verified introductory-offer token decides.
package struct IntroductoryOfferGrant: Sendable, Equatable {
    /// The subscription in question.
    package let productID: String
    /// Whether the customer may have its introductory offer.
    package let isAllowed: Bool
    /// A transaction or app transaction of the customer in question.
    package let transactionID: String
    /// Used once; the caller remembers which were.
    package let nonce: String
    /// When the token was made, in seconds since 1970. How old it may be is for the caller to say.
    package let issuedAt: Double

    /// Checks that the decision is about what is bought.
    ///
    /// - Throws: ``OfferSignatureRefusal/mismatch(claim:value:expected:)``.
    package func check(productID: String) throws(OfferSignatureRefusal) {
        guard self.productID == productID else {
            throw .mismatch(claim: "productId", value: self.productID, expected: productID)
        }
    }
}
