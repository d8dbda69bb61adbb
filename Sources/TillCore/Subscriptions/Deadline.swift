/// Something that happens through time alone. The decision is made here; `Ledger.handle` carries it out.
struct Deadline: Comparable {
    /// What happens; events of one instant happen in this order.
    enum Action: Comparable {
        case noticeOfPrice
        case charge
        /// The product is not for sale when the next period should be charged ahead. The charge is made at the period's
        /// start if it is for sale by then, so that a later change of the catalog does not charge the customer late.
        case missedCharge
        /// The period ends, and so does the subscription.
        case expiry(ExpirationIntent)
        /// The period ends after the last renewal that the environment allows.
        case expiryAtCap
        /// The period ends, and the card is declined.
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
    /// The subscription's original transaction, or the transaction of a refund request.
    let transaction: TransactionID
    let account: AccountID

    static func < (left: Deadline, right: Deadline) -> Bool {
        guard left.instant == right.instant else { return left.instant < right.instant }
        if left.action < right.action { return true }
        return !(right.action < left.action) && left.transaction < right.transaction
    }
}

/// A customer's next event that happens through time alone.
package struct UpcomingEvent: Equatable, Sendable {
    /// The kind of event.
    package enum Kind: String, CaseIterable, Sendable {
        /// The customer is notified of a higher price.
        case priceNotice = "PRICE_NOTICE"
        /// A period is charged.
        case renewal = "RENEWAL"
        /// A subscription without a next charge ends, or fails to renew.
        case endOfPeriod = "END_OF_PERIOD"
        case endOfGrace = "END_OF_GRACE"
        case endOfRetry = "END_OF_RETRY"
        /// A refund request is decided.
        case refundDecision = "REFUND_DECISION"
    }

    /// The kind of event.
    package let kind: Kind
    /// When it happens.
    package let instant: Timestamp
    /// The subscription's original transaction, or the transaction of a refund request.
    package let transaction: TransactionID
}

extension Ledger {
    /// An account's next event through time alone; nil while there is none.
    package func upcomingEvent(of account: Account) -> UpcomingEvent? {
        deadline(of: account).map { deadline in
            let kind: UpcomingEvent.Kind =
                switch deadline.action {
                case .noticeOfPrice: .priceNotice
                case .charge: .renewal
                case .expiry, .expiryAtCap, .failedCharge, .missedCharge: .endOfPeriod
                case .endOfGrace: .endOfGrace
                case .endOfRetry: .endOfRetry
                case .refundDecision: .refundDecision
                }
            // A missed charge becomes visible at the end of the period.
            let wait = deadline.action == .missedCharge ? policy.renewalLead : 0
            let instant = deadline.instant.advanced(milliseconds: wait)
            return UpcomingEvent(kind: kind, instant: instant, transaction: deadline.transaction)
        }
    }

    /// When the account's next event falls due; nil while there is none.
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

    /// A subscription's next event and its instant. A family member's copy has no deadline: it follows the purchase.
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
