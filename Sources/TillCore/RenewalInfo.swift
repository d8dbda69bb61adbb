/// What signed renewal info says of a subscription at an instant (docs/api/payloads.md).
package struct RenewalInfo: Equatable, Sendable {
    /// `originalTransactionId`, by which a client matches it with transactions.
    package let originalID: TransactionID
    package let account: AccountID
    /// The product of the latest period.
    package let productID: String
    /// The product of the next period.
    package let autoRenewProductID: String
    /// `autoRenewStatus` on the wire, as 1 or 0.
    package let autoRenews: Bool
    /// `recentSubscriptionStartDate` on the wire: the start of the run without a long gap.
    package let recentStart: Timestamp
    /// The end of the latest period, past or to come.
    package let renewalDate: Timestamp
    /// What the next period will cost; nil when it will not renew.
    package let renewalPrice: Money?
    /// Only once expired.
    package let expirationIntent: ExpirationIntent?
    /// Nil while active.
    package let isInBillingRetry: Bool?
    /// The offer that the next period carries.
    package let offer: AppliedOffer?
    /// Win-back offers that a lapsed customer may take, in the catalogue's order; empty is left out on the wire.
    package let winBackOffers: [String]
    /// The token of coming renewals, lower-case UUID text; nil when none was given or set.
    package let appAccountToken: String?

    /// Reads a subscription as it stands at an instant.
    ///
    /// - Parameters:
    ///   - account: the account that holds the subscription.
    ///   - catalog: gives the price of the next period and the win-back offers.
    ///   - policy: says how the realm judges win-back offers.
    package init(
        of subscription: Subscription,
        held account: Account,
        at now: Timestamp,
        catalog: Catalog,
        policy: Policy
    ) {
        let status = subscription.status(at: now)
        originalID = subscription.originalID
        self.account = account.id
        productID = subscription.current.productID
        autoRenewProductID = subscription.nextProductID
        autoRenews = subscription.autoRenews
        recentStart = subscription.recentStart
        renewalDate = subscription.renewalDate
        appAccountToken = subscription.appAccountToken
        let hasEnded = status == .expired
        expirationIntent = hasEnded ? (subscription.autoRenews ? .other : .customer) : nil
        isInBillingRetry = hasEnded ? false : nil
        offer = subscription.pendingOffer.map { AppliedOffer($0.offer) }
        renewalPrice =
            subscription.autoRenews && subscription.ownership == .purchased
            ? subscription.priceOfNextPeriod(in: catalog) : nil
        let product = catalog.products[subscription.current.productID]
        winBackOffers = (product?.offers ?? []).compactMap { offer in
            guard
                offer.kind == .winBack, let id = offer.id,
                policy.allows(winBack: offer, for: subscription, of: account, at: now)
            else { return nil }
            return id
        }
    }
}

extension Subscription {
    /// What the next period will cost at the customer's storefront; nil when the product is no longer known.
    package func priceOfNextPeriod(in catalog: Catalog) -> Money? {
        guard let product = catalog.products[nextProductID] else { return current.price }
        let full = product.prices[current.storefront]
        guard let pending = pendingOffer else { return full }
        return pending.offer.prices?[current.storefront] ?? Money(milliunits: 0, currency: full.currency)
    }
}
