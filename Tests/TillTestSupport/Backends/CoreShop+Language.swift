import TillCore

/// The operations of `TestLanguage` that tests of the rules need, without `async`. The default customer is ann.
extension CoreShop {
    /// Creates a shop without customers, whose clock shows noon UTC of a day.
    package init(
        on day: String = "2026-01-01",
        in environment: StoreEnvironment = .sandbox,
        policy: Policy? = nil,
        selling products: [Product]
    ) {
        self.init(in: environment, selling: products, policy: policy, at: Timestamp(day: day))
    }

    /// Buys a product.
    ///
    /// - Returns: The customer's new transaction. If the purchase changes a subscription, the latest transaction of
    ///   that subscription.
    @discardableResult
    package mutating func buy(
        _ product: String,
        by customer: String = "ann",
        quantity: Int = 1,
        offer: OfferChoice = .automatic,
        monthly: Bool = false,
        token: String? = nil
    ) throws(Refusal) -> Transaction {
        let purchase = Purchase(
            productID: product,
            quantity: quantity,
            appAccountToken: token,
            offer: offer,
            billingPlan: monthly ? .monthly : nil
        )
        let ledger = try perform(.purchase(purchase), by: customer)
        let own = ledger.transactionChanges.last { $0.after.account == accounts[customer]?.id && !$0.after.isUpgraded }?
            .after
        guard let row = own ?? subscription(customer)?.latestTransaction else { throw .unknownProduct(product) }
        return row
    }

    /// Turns off auto-renew for the customer's subscription.
    package mutating func cancelRenewal(of customer: String = "ann") throws(Refusal) {
        guard let subscription = subscription(customer) else { throw .unknownAccount(customer) }
        try perform(.turnAutoRenewOff(subscription.originalID), by: customer)
    }

    /// Refunds a transaction, and returns the refunded transaction.
    @discardableResult
    package mutating func refund(
        _ row: Transaction,
        by customer: String = "ann",
        _ share: Refund.Share = .full,
        because reason: RevocationReason = .other
    ) throws(Refusal) -> Transaction {
        try perform(.refund(Refund(transaction: row.id, share: share, reason: reason)), by: customer)
        return rows[row.id] ?? row
    }

    /// Adds a customer to another customer's family.
    package mutating func join(_ customer: String, familyOf host: String) throws(Refusal) {
        open(host)
        guard let account = accounts[host] else { throw .unknownAccount(host) }
        try perform(.joinFamily(of: account.id, named: "family"), by: customer)
    }

    /// Advances the clock to noon UTC of a day or to an instant, and processes all events on the way.
    package mutating func advance(to day: String) { advance(to: Timestamp(day: day)) }

    // MARK: Reading

    /// The first subscription that the customer bought.
    package func subscription(_ customer: String = "ann") -> Subscription? { accounts[customer]?.subscriptions.first }

    /// The customer's first subscription with this ownership: bought by the customer, or shared by a family member.
    package func held(
        _ customer: String = "ann",
        _ ownership: InAppOwnershipType = .purchased
    ) -> (any HeldSubscription)? {
        accounts[customer]?.heldSubscriptions.first { $0.ownership == ownership }
    }

    /// The status of the customer's first subscription with this ownership.
    package func status(_ customer: String, _ ownership: InAppOwnershipType = .purchased) -> SubscriptionStatus? {
        held(customer, ownership)?.status
    }

    /// The renewal info of the customer's first subscription with this ownership.
    package func renewalInfo(
        _ customer: String = "ann",
        _ ownership: InAppOwnershipType = .purchased
    ) throws(Refusal) -> RenewalInfo {
        guard let account = accounts[customer], let subscription = held(customer, ownership) else {
            throw .unknownAccount(customer)
        }
        return RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy)
    }
}
