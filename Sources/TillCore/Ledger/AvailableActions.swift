/// The actions that are possible now on an account's transactions and subscriptions. A command for any other action
/// has no effect or is refused, with the same rules.
package struct AvailableActions: Sendable {
    private let account: Account
    private let now: Timestamp
    private let catalog: Catalog
    private let policy: Policy

    /// The actions on an account at the instant `now`.
    package init(of account: Account, at now: Timestamp, catalog: Catalog, policy: Policy) {
        self.account = account
        self.now = now
        self.catalog = catalog
        self.policy = policy
    }

    // MARK: Transactions

    /// The actions on a transaction of the account.
    package func actions(on transaction: Transaction) -> [CustomerAction] {
        var actions: [CustomerAction] = []
        if account.refusalToRefund(transaction) == nil {
            actions.append(.refund)
            // The unused part of a period that has not begun is a full refund.
            if let part = transaction.unusedPart(at: now), part < Ledger.wholePercentage {
                actions.append(.refundUnusedPart)
            }
        }
        if transaction.isRefunded { actions.append(.reverseRefund) }
        if account.refusalToRequestRefund(transaction) == nil { actions.append(.requestRefund) }
        if account.hasRefundRequest(for: transaction.id) { actions.append(.declineRefund) }
        return actions + sharing(of: transaction) + (transaction.isFinished ? [] : [.finish])
    }

    /// The purchaser of a one-time product chooses whether the family gets it. For a subscription, this is an action on
    /// the subscription.
    private func sharing(of transaction: Transaction) -> [CustomerAction] {
        guard
            transaction.ownership == .purchased,
            let owned = account.ownedProducts.first(where: { $0.transaction == transaction.originalID && !$0.isRevoked }
            )
        else { return [] }
        return sharing(ofProduct: transaction.productID, isShared: owned.isShared)
    }

    private func sharing(ofProduct product: String, isShared: Bool) -> [CustomerAction] {
        guard account.family != nil, catalog.products[product]?.isFamilyShareable == true else { return [] }
        return [isShared ? .stopSharing : .share]
    }

    // MARK: Subscriptions

    /// The actions on a subscription of the account; none on a subscription that a family member shares.
    package func actions(on subscription: some HeldSubscription) -> [CustomerAction] {
        guard let bought = subscription.bought else { return [] }
        let sharing = sharing(ofProduct: bought.latestTransaction.productID, isShared: bought.isShared)
        guard bought.state.isOpen else {
            let isForSale = catalog.products[bought.preference.productID]?.isForSale == true
            return (isForSale ? [.resubscribe] : []) + sharing
        }
        var actions: [CustomerAction] = [bought.willRenew ? .cancel : .resume]
        if bought.isAskedForConsent {
            actions.append(.acceptPriceIncrease)
            if bought.willRenew { actions.append(.declinePriceIncrease) }
        }
        actions.append(.change)
        if account.refusalToExtend(bought, at: now, policy: policy) == nil { actions.append(.extend) }
        return actions + sharing
    }
}
