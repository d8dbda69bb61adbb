/// The customer's choices for the end of the period (`DID_CHANGE_RENEWAL_PREF`, `DID_CHANGE_RENEWAL_STATUS`).
package struct RenewalPreference: Codable, Equatable, Sendable {
    /// `autoRenewStatus` in the payload.
    package var autoRenews: Bool
    /// The product of the next period. During a commitment: the product of the period after the commitment.
    package var productID: String
    /// The billing plan of the next period or commitment; nil to keep the current billing plan.
    package var billingPlan: BillingPlanType?
    /// Whether another commitment follows the current one. The value has no meaning without a commitment.
    package var commitmentRenews: Bool

    /// The choices for a subscription that renews with this product, on its current billing plan.
    package init(productID: String, autoRenews: Bool = true) {
        self.autoRenews = autoRenews
        self.productID = productID
        billingPlan = nil
        commitmentRenews = true
    }
}
