/// What a customer's own subscription and a shared one have in common.
package protocol HeldSubscription: Equatable, Sendable {
    /// `subscriptionGroupIdentifier` on the wire.
    var groupID: String { get }
    /// The id of the first transaction; kept through every change and resubscription.
    var originalID: TransactionID { get }
    /// The same in every transaction of the subscription, in whole seconds.
    var originalPurchaseDate: Timestamp { get }
    /// The state, with the latest transaction.
    var state: SubscriptionState { get }
    /// The customer's choices for the end of the period.
    var preference: RenewalPreference { get }
    /// When the current run of periods without a long gap began.
    var recentStart: Timestamp { get }
    /// Bought, or shared by a family member.
    var ownership: Ownership { get }
    /// The subscription itself if the customer bought it; nil for a shared one.
    var bought: Subscription? { get }
}

extension HeldSubscription {
    /// The latest transaction as in the ledger. It determines `status`.
    package var latestTransaction: Transaction { state.latest.transaction }

    /// The transaction of the current period. It is the one before the latest while the latest was charged ahead and
    /// has not begun.
    package func currentTransaction(at now: Timestamp) -> Transaction { state.current(at: now).transaction }

    /// `status` on the wire.
    package var status: SubscriptionStatus { state.status }

    /// The end of the latest period, past or future; `renewalDate` on the wire.
    package var renewalDate: Timestamp { state.latest.end }

    /// Whether a commitment continues after the current month.
    package var isBound: Bool { latestTransaction.isBound }

    /// Whether it will renew; after the commitment, if there is one.
    package var willRenew: Bool { isBound ? preference.commitmentRenews : preference.autoRenews }

    /// When access ended or will end.
    var endOfAccess: Timestamp { min(renewalDate, latestTransaction.revocation?.date ?? renewalDate) }

    /// How the next period is paid; nil where the product has only one way.
    func nextBillingPlan(in catalog: Catalog) -> BillingPlan.Kind? {
        let latest = latestTransaction
        let productID = latest.isBound ? latest.productID : preference.productID
        guard let plan = catalog.products[productID]?.plan, plan.monthly != nil else { return nil }
        return latest.isBound ? .monthly : preference.chosenPlan(of: plan, after: latest)
    }
}

extension RenewalPreference {
    /// How the period after a commitment is paid: as the customer chose, or as now if the product stays the same.
    func chosenPlan(of plan: SubscriptionPlan, after latest: Transaction) -> BillingPlan.Kind? {
        guard plan.monthly != nil else { return nil }
        if let billingPlan { return billingPlan }
        return productID == latest.productID ? latest.billingPlan : .billedUpfront
    }
}
