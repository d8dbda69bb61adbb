/// An event that time triggers, such as a renewal. The decision is made here; `Ledger.handle` processes the event.
struct Deadline: Comparable {
    /// The kind of event. Events of the same instant are processed in the order of these cases.
    enum Action: Comparable {
        case noticeOfPrice
        case charge
        /// The product is not for sale when the next period should be charged in advance. If the product is for sale
        /// again when that period begins, the charge is made then. A later change of the catalog therefore never causes
        /// a late charge.
        case missedCharge
        /// The period ends, and the subscription expires.
        case expiry(ExpirationIntent)
        /// The period ends, and the subscription has reached the maximum number of renewals in this environment.
        case expiryAtCap
        /// The period ends, and the payment for the next period is declined.
        case failedCharge
        case endOfGrace
        case endOfRetry
        case refundDecision

        private var order: Int {
            switch self {
            case .noticeOfPrice: 0
            case .charge, .missedCharge: 1
            case .expiry, .expiryAtCap, .failedCharge: 2
            case .endOfGrace: 3
            case .endOfRetry: 4
            case .refundDecision: 5
            }
        }

        static func < (left: Action, right: Action) -> Bool { left.order < right.order }
    }

    let instant: Timestamp
    let action: Action
    /// The original transaction of the subscription, or the transaction that the refund request is about.
    let transaction: TransactionID
    let account: AccountID

    static func < (left: Deadline, right: Deadline) -> Bool {
        guard left.instant == right.instant else { return left.instant < right.instant }
        if left.action < right.action { return true }
        return !(right.action < left.action) && left.transaction < right.transaction
    }
}

/// The next event of an account that time triggers.
package struct UpcomingEvent: Equatable, Sendable {
    /// The kind of event.
    package let kind: UpcomingEventKind
    /// The instant of the event.
    package let instant: Timestamp
    /// The original transaction of the subscription, or the transaction that the refund request is about.
    package let transaction: TransactionID
}

extension Ledger {
    /// The next event of an account that time triggers; nil if there is none.
    package func upcomingEvent(of account: Account) -> UpcomingEvent? {
        deadline(of: account).map { deadline in
            let kind: UpcomingEventKind =
                switch deadline.action {
                case .noticeOfPrice: .priceNotice
                case .charge: .renewal
                case .expiry, .expiryAtCap, .failedCharge, .missedCharge: .endOfPeriod
                case .endOfGrace: .endOfGrace
                case .endOfRetry: .endOfRetry
                case .refundDecision: .refundDecision
                }
            // Customers and developers first see a missed charge at the end of the period.
            let wait = deadline.action == .missedCharge ? policy.renewalLead : 0
            let instant = deadline.instant.advanced(milliseconds: wait)
            return UpcomingEvent(kind: kind, instant: instant, transaction: deadline.transaction)
        }
    }

    /// The instant of the account's next event; nil if there is none.
    package func nextDue(of account: Account) -> Timestamp? { deadline(of: account)?.instant }

    func deadline(of account: Account) -> Deadline? {
        var earliest: Deadline?
        func consider(_ instant: Timestamp, _ action: Deadline.Action, _ transaction: TransactionID) {
            let deadline = Deadline(instant: instant, action: action, transaction: transaction, account: account.id)
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        for subscription in account.subscriptions {
            guard let (instant, action) = deadline(of: subscription, held: account) else { continue }
            consider(instant, action, subscription.originalID)
        }
        for request in account.refundRequests {
            if let instant = request.decideAt { consider(instant, .refundDecision, request.transaction) }
        }
        return earliest
    }

    /// The next event of a subscription and its instant. A family member's copy has no events of its own, because it
    /// follows the purchaser's subscription.
    private func deadline(of subscription: Subscription, held account: Account) -> (Timestamp, Deadline.Action)? {
        switch subscription.state {
        case .active:
            let end = endOfPeriod(of: subscription, held: account)
            guard let notice = instantOfPriceNotice(to: subscription, held: account), notice <= end.0 else {
                return end
            }
            return (notice, .noticeOfPrice)
        case .gracePeriod(_, let until, _): return (until, .endOfGrace)
        case .billingRetry(_, let until, _): return (until, .endOfRetry)
        case .expired, .revoked: return nil
        }
    }

    private func endOfPeriod(of subscription: Subscription, held account: Account) -> (Timestamp, Deadline.Action) {
        let end = subscription.renewalDate
        let isMissed = subscription.missedCharge == end || policy.renewalLead == 0
        let ahead = isMissed ? end : end.advanced(milliseconds: -policy.renewalLead)
        return switch reasonNotToRenew(to: subscription, held: account) {
        case nil: (ahead, .charge)
        case .productUnavailable where !isMissed: (ahead, .missedCharge)
        case .autoRenewOff: (end, .expiry(.customer))
        case .productUnavailable: (end, .expiry(.productUnavailable))
        case .consentMissing: (end, .expiry(.priceIncrease))
        case .renewalCap: (end, .expiryAtCap)
        case .cardDeclined: (end, .failedCharge)
        }
    }

    mutating func handle(_ deadline: Deadline) {
        let id = deadline.account
        if case .refundDecision = deadline.action { return decideRefund(of: deadline.transaction, by: id) }
        guard let subscription = self[id].subscription(deadline.transaction) else { return }
        switch deadline.action {
        case .noticeOfPrice: announcePrice(to: subscription, by: id)
        case .charge: charge(subscription, by: id, from: subscription.renewalDate, anchored: true) { .renewal($0) }
        case .missedCharge:
            applyDue(.missedCharge, to: subscription, of: id) { $0.missedCharge = $0.renewalDate }
        case .expiry(let intent): applyDue(.endOfPeriod(intent), to: subscription, of: id)
        case .expiryAtCap: applyDue(.renewalLimit, to: subscription, of: id) { $0.dropRenewal() }
        case .failedCharge: fail(subscription, by: id)
        case .endOfGrace: applyDue(.endOfGrace, to: subscription, of: id)
        case .endOfRetry: applyDue(.endOfRetry, to: subscription, of: id)
        case .refundDecision: break
        }
    }
}
