/// What a verified promotional-offer token grants.
package struct PromotionalOfferGrant: Sendable, Equatable {
    /// The subscription that may be bought.
    package let productID: String
    /// The offer at whose price it may be bought.
    package let offerID: String
    /// A transaction or app transaction of the customer the offer is for; nil when the token is for anybody.
    package let transactionID: String?
    /// Used once; the caller remembers which were.
    package let nonce: String
    /// When the token was made, in seconds since 1970. How old it may be is for the caller to say.
    package let issuedAt: Double

    /// Checks that the grant is for what is bought.
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
