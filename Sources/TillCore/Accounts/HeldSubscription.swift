/// The common interface of bought and shared subscriptions.
package protocol HeldSubscription: Equatable, Sendable {
    /// `subscriptionGroupIdentifier` in the payload.
    var groupID: String { get }
    /// The id of the first transaction. Changes of plan and resubscriptions keep it.
    var originalID: TransactionID { get }
    /// The original purchase date, which all transactions of the subscription share, in whole seconds.
    var originalPurchaseDate: Timestamp { get }
    /// The state, including the latest transaction.
    var state: SubscriptionState { get }
    /// The customer's choices for the end of the period.
    var preference: RenewalPreference { get }
    /// The beginning of the current service that has had no long gap.
    var recentStart: Timestamp { get }
    /// Whether the customer bought the subscription, or a family member shares it.
    var ownership: InAppOwnershipType { get }
    /// The subscription itself, if the customer bought it; nil for a shared subscription.
    var bought: Subscription? { get }
}

extension HeldSubscription {
    /// The latest transaction of the ledger. It determines `status`.
    package var latestTransaction: Transaction { state.latest.transaction }

    /// The transaction of the current period. If the latest transaction was charged in advance and its period has not
    /// begun, this is the transaction before it.
    package func currentTransaction(at now: Timestamp) -> Transaction { state.current(at: now).transaction }

    /// `status` in Apple's responses and payloads.
    package var status: SubscriptionStatus { state.status }

    /// The end of the latest period, in the past or in the future; `renewalDate` in the payload.
    package var renewalDate: Timestamp { state.latest.end }

    /// Whether more months of a commitment follow the current month.
    package var isBound: Bool { latestTransaction.isBound }

    /// Whether the subscription will renew after the current period. During a commitment: after the commitment.
    package var willRenew: Bool { isBound ? preference.commitmentRenews : preference.autoRenews }

    /// The instant at which access ended or will end.
    var endOfAccess: Timestamp { min(renewalDate, latestTransaction.revocation?.date ?? renewalDate) }

    /// The billing plan of the next period; nil if the product has only one billing plan.
    func nextBillingPlan(in catalog: Catalog) -> BillingPlanType? {
        let latest = latestTransaction
        let productID = latest.isBound ? latest.productID : preference.productID
        guard let plan = catalog.products[productID]?.plan, plan.monthly != nil else { return nil }
        return latest.isBound ? .monthly : preference.chosenPlan(of: plan, after: latest)
    }
}

extension RenewalPreference {
    /// The billing plan after a commitment: the customer's choice, or the current billing plan if the product stays the
    /// same.
    func chosenPlan(of plan: SubscriptionPlan, after latest: Transaction) -> BillingPlanType? {
        guard plan.monthly != nil else { return nil }
        if let billingPlan { return billingPlan }
        return productID == latest.productID ? latest.billingPlan : .billedUpfront
    }
}
