/// The customer's choices for the end of the period (`DID_CHANGE_RENEWAL_PREF`, `DID_CHANGE_RENEWAL_STATUS`).
package struct RenewalPreference: Codable, Equatable, Sendable {
    /// `autoRenewStatus` on the wire.
    package var autoRenews: Bool
    /// The product of the next period; with a commitment, of the period after the commitment.
    package var productID: String
    /// The billing plan of the next period or commitment; nil keeps the current one.
    package var billingPlan: BillingPlan.Kind?
    /// Whether another commitment follows the current one. Without a commitment it has no meaning.
    package var commitmentRenews: Bool

    /// A subscription that renews as a product.
    package init(productID: String, autoRenews: Bool = true) {
        self.autoRenews = autoRenews
        self.productID = productID
        billingPlan = nil
        commitmentRenews = true
    }
}
