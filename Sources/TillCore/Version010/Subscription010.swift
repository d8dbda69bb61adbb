/// A bought or shared subscription in the form of version 0.1.0. Its state results from the values that are present.
/// This form is only read.
struct Subscription010: Decodable {
    /// A renewal whose payment failed.
    private struct FailedRenewal: Decodable {
        var graceUntil: Timestamp?
        var retryUntil: Timestamp
        /// Whether the end of the grace period was processed.
        var isGraceOver: Bool
    }

    private enum Key: String, CodingKey {
        case groupID, ownership, originalID, originalPurchaseDate, current, running, autoRenews, nextProductID
        case suspendedOffers = "offersSetAside"
        case pendingOffers, pendingOffer, recentStart, anchorDay, anchorTime, appAccountToken
        case paidService, paidPeriods
        case sharedFrom, agreedPrice, renewals, trouble, ended, priceIncrease, lastPriceIncrease, extensions
        case nextBillingPlan, commitmentRenews, isShared, wasLeftInGrace
    }

    /// The same subscription in the current form.
    enum Present {
        case bought(Subscription)
        case shared(SharedSubscription)
    }

    let present: Present

    /// Whether stored data has the form of version 0.1.0.
    static func isForm(of decoder: any Decoder) throws -> Bool {
        try decoder.container(keyedBy: Key.self).contains(.current)
    }

    /// Reads a subscription.
    ///
    /// - Throws: `DamagedSubscription` if the stored state is inconsistent.
    init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Key.self)
        let groupID = try values.decode(String.self, forKey: .groupID)
        let originalID = try values.decode(TransactionID.self, forKey: .originalID)
        let originalPurchaseDate = try values.decode(Timestamp.self, forKey: .originalPurchaseDate)
        let state = try Self.state(values)
        let preference = try Self.preference(values)
        let recentStart = try values.decode(Timestamp.self, forKey: .recentStart)
        let owner = try values.decodeIfPresent(AccountID.self, forKey: .sharedFrom)
        let ownership = try values.decode(InAppOwnershipType.self, forKey: .ownership)
        guard (ownership == .familyShared) == (owner != nil) else {
            throw DamagedSubscription("is a copy that does not say whose purchase it is, or a purchase that says it")
        }
        if let owner {
            present = .shared(
                SharedSubscription(
                    groupID: groupID,
                    originalID: originalID,
                    originalPurchaseDate: originalPurchaseDate,
                    source: .account(owner),
                    state: state,
                    preference: preference,
                    recentStart: recentStart
                )
            )
            return
        }
        // Version 0.1.0 stored no time of day, so the time of the latest period's beginning is used.
        let time = try values.decodeIfPresent(Int64.self, forKey: .anchorTime)
        var subscription = Subscription(
            groupID: groupID,
            originalID: originalID,
            originalPurchaseDate: originalPurchaseDate,
            state: state,
            preference: preference,
            recentStart: recentStart,
            anchor: PeriodAnchor(
                day: try values.decode(Int.self, forKey: .anchorDay),
                time: time ?? Period.timeOfDay(of: state.latest.start)
            )
        )
        try Self.readTerms(values, into: &subscription)
        present = .bought(subscription)
    }

    private static func state(_ values: KeyedDecodingContainer<Key>) throws -> SubscriptionState {
        let latest = try SubscriptionPeriod(try values.decode(Transaction.self, forKey: .current))
        let running = try values.decodeIfPresent(Transaction.self, forKey: .running)
        let trouble = try values.decodeIfPresent(FailedRenewal.self, forKey: .trouble)
        let ended = try values.decodeIfPresent(ExpirationIntent.self, forKey: .ended)
        let wasLeftInGrace = try values.decodeIfPresent(Bool.self, forKey: .wasLeftInGrace) ?? false
        let resumes: ResumableState =
            if let ended {
                .expired(
                    ExpirationReason(ended, leftInGrace: wasLeftInGrace, graceEnded: trouble?.graceUntil),
                    // Version 0.1.0 did not store the time of expiry. It is the end of the period, or the last attempt
                    // to charge.
                    at: ended == .billing ? trouble?.retryUntil ?? latest.end : latest.end
                )
            } else if let trouble {
                if let until = trouble.graceUntil, !trouble.isGraceOver {
                    .gracePeriod(until: until, retryUntil: trouble.retryUntil)
                } else {
                    .billingRetry(until: trouble.retryUntil, graceEnded: trouble.graceUntil)
                }
            } else {
                .period
            }
        let previous = try running.map { try SubscriptionPeriod($0) }
        return SubscriptionState(latest, previous: previous, resuming: resumes)
    }

    private static func preference(_ values: KeyedDecodingContainer<Key>) throws -> RenewalPreference {
        var preference = RenewalPreference(
            productID: try values.decode(String.self, forKey: .nextProductID),
            autoRenews: try values.decode(Bool.self, forKey: .autoRenews)
        )
        preference.billingPlan = try values.decodeIfPresent(BillingPlanType.self, forKey: .nextBillingPlan)
        preference.commitmentRenews = try values.decodeIfPresent(Bool.self, forKey: .commitmentRenews) ?? true
        return preference
    }

    private static func readTerms(
        _ values: KeyedDecodingContainer<Key>,
        into subscription: inout Subscription
    ) throws {
        func read<Value: Decodable>(_ key: Key, or none: Value) throws -> Value {
            try values.decodeIfPresent(Value.self, forKey: key) ?? none
        }
        subscription.pendingOffers = try read(.pendingOffers, or: [])
        // The earliest form had a single pending offer.
        if let only = try values.decodeIfPresent(PendingOffer.self, forKey: .pendingOffer) {
            subscription.pendingOffers = [only]
        }
        subscription.suspendedOffers = try read(.suspendedOffers, or: [])
        subscription.appAccountToken = try values.decodeIfPresent(String.self, forKey: .appAccountToken)
        subscription.paidService = try values.decode(Int64.self, forKey: .paidService)
        subscription.agreedPrice = try values.decodeIfPresent(Money.self, forKey: .agreedPrice)
        subscription.renewals = try read(.renewals, or: 0)
        subscription.priceIncrease = try values.decodeIfPresent(PriceIncrease.self, forKey: .priceIncrease)
        subscription.lastPriceIncrease = try values.decodeIfPresent(Timestamp.self, forKey: .lastPriceIncrease)
        subscription.extensions = try read(.extensions, or: [])
        subscription.isShared = try read(.isShared, or: true)
        subscription.paidPeriods = try read(.paidPeriods, or: leastPaidPeriods(of: subscription))
    }

    /// The minimum number of paid periods, derived from the length of the paid service, because version 0.1.0 did not
    /// count periods. An extended transaction is longer than the paid period, so an earlier period may be missed until
    /// the next renewal.
    private static func leastPaidPeriods(of subscription: Subscription) -> Int {
        let paid = subscription.state.periods.map(\.transaction).filter(\.isPaid)
        let length = paid.reduce(0) { $0 &+ $1.paidMilliseconds }
        return paid.count + (subscription.paidService > length ? 1 : 0)
    }
}
