/// The content of a verified token for a promotional offer.
package struct PromotionalOfferGrant: Sendable, Equatable {
    /// The subscription product that the customer may buy.
    package let productID: String
    /// The offer identifier.
    package let offerID: String
    /// The id of a transaction or app transaction of the customer; nil if the token is valid for any customer.
    package let transactionID: String?
    /// The nonce, which is valid once. The caller stores used nonces.
    package let nonce: String
    /// The date when the token was issued, in seconds since 1970. The caller decides how old a token may be.
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
