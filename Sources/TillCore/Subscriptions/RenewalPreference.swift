/// What the customer chose for the end of the period (`DID_CHANGE_RENEWAL_PREF`, `DID_CHANGE_RENEWAL_STATUS`).
package struct RenewalPreference: Codable, Equatable, Sendable {
    /// `autoRenewStatus` on the wire.
    package var autoRenews: Bool
    /// The product of the next period; after a commitment, of the period that follows it.
    package var productID: String
    /// How the next period, or the next commitment, is paid; nil leaves it as it is.
    package var billingPlan: BillingPlan.Kind?
    /// Whether another commitment follows the running one. Without a commitment it has no meaning.
    package var commitmentRenews: Bool

    /// A subscription that renews as a product.
    package init(productID: String, autoRenews: Bool = true) {
        self.autoRenews = autoRenews
        self.productID = productID
        billingPlan = nil
        commitmentRenews = true
    }
}
