/// The content of a verified promotional-offer token.
package struct PromotionalOfferGrant: Sendable, Equatable {
    /// The subscription that may be bought.
    package let productID: String
    /// The offer that applies.
    package let offerID: String
    /// A transaction or app transaction of the customer; nil when the token is for any customer.
    package let transactionID: String?
    /// Valid once; the caller stores used ones.
    package let nonce: String
    /// When the token was issued, in seconds since 1970. The caller decides how old it may be.
    package let issuedAt: Double

    /// Checks that the token is for the purchased product and offer.
    ///
    /// - Throws: ``OfferSignatureRefusal/mismatch(claim:value:expected:)``.
    package func check(productID: String, offerID: String) throws(OfferSignatureRefusal) {
        guard self.productID == productID else {
            throw .mismatch(claim: "productId", value: self.productID, expected: productID)
        }
        guard self.offerID == offerID else {
            throw .mismatch(claim: "offerIdentifier", value: self.offerID, expected: offerID)
        }
    }
}
