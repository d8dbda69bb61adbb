/// Something that will happen by itself at an instant.
struct Deadline: Comparable {
    /// What happens, in the order in which it does where instants are equal.
    enum Kind: Int {
        case priceNotice
        case charge
        case endOfPeriod
        case endOfGrace
        case endOfRetry
        case refundDecision
    }

    let instant: Timestamp
    let kind: Kind
    /// The subscription's original transaction, or the one whose refund was asked for.
    let transaction: TransactionID
    let account: AccountID

    static func < (left: Deadline, right: Deadline) -> Bool {
        (left.instant, left.kind.rawValue, left.transaction) < (right.instant, right.kind.rawValue, right.transaction)
    }
}

/// What happens next to a customer by itself.
package struct ComingEvent: Equatable, Sendable {
    /// What it is.
    package enum Kind: String, CaseIterable, Sendable {
        /// The customer is told of a higher price.
        case priceNotice = "PRICE_NOTICE"
        /// A period is charged for.
        case renewal = "RENEWAL"
        /// A subscription that will not be charged for ends, or fails to renew.
        case endOfPeriod = "END_OF_PERIOD"
        case endOfGrace = "END_OF_GRACE"
        case endOfRetry = "END_OF_RETRY"
        /// A refund that was asked for is decided.
        case refundDecision = "REFUND_DECISION"
    }

    /// What it is.
    package let kind: Kind
    /// When.
    package let instant: Timestamp
    /// The subscription's original transaction, or the one whose refund was asked for.
    package let transaction: TransactionID
}

extension Ledger {
    /// What happens next to an account by itself; nil while nothing will.
    package func comingEvent(of account: Account) -> ComingEvent? {
        deadline(of: account).map { deadline in
            let kind: ComingEvent.Kind =
                switch deadline.kind {
                case .priceNotice: .priceNotice
                case .charge: .renewal
                case .endOfPeriod: .endOfPeriod
                case .endOfGrace: .endOfGrace
                case .endOfRetry: .endOfRetry
                case .refundDecision: .refundDecision
                }
            return ComingEvent(kind: kind, instant: deadline.instant, transaction: deadline.transaction)
        }
    }

    /// When something happens next in an account by itself; nil while nothing will.
    package func nextDue(of account: Account) -> Timestamp? { deadline(of: account)?.instant }

    func deadline(of account: Account) -> Deadline? {
        var earliest: Deadline?
        func consider(_ deadline: Deadline?) {
            guard let deadline else { return }
            earliest = earliest.map { min($0, deadline) } ?? deadline
        }
        for subscription in account.subscriptions { consider(deadline(of: subscription, held: account)) }
        for request in account.refundRequests {
            guard let instant = request.decideAt else { continue }
            consider(
                Deadline(
                    instant: instant,
                    kind: .refundDecision,
                    transaction: request.transaction,
                    account: account.id
                )
            )
        }
        return earliest
    }

    /// A family member's copy has no deadline: what happens to the purchase happens to it.
    private func deadline(of subscription: Subscription, held account: Account) -> Deadline? {
        guard
            subscription.ownership == .purchased, subscription.ended == nil,
            subscription.latestTransaction.revocation == nil
        else { return nil }
        func at(_ instant: Timestamp, _ kind: Deadline.Kind) -> Deadline {
            Deadline(instant: instant, kind: kind, transaction: subscription.originalID, account: account.id)
        }
        if let trouble = subscription.trouble {
            if let grace = trouble.graceUntil, !trouble.isGraceOver { return at(grace, .endOfGrace) }
            return at(trouble.retryUntil, .endOfRetry)
        }
        let end = subscription.renewalDate
        let charge =
            obstacle(to: subscription, held: account) == nil
            ? at(end.advanced(milliseconds: -policy.renewalLead), .charge) : at(end, .endOfPeriod)
        guard let notice = instantOfPriceNotice(to: subscription) else { return charge }
        return min(charge, at(notice, .priceNotice))
    }

    mutating func handle(_ deadline: Deadline) {
        if deadline.kind == .refundDecision { return decideRefund(of: deadline.transaction, by: deadline.account) }
        guard let subscription = self[deadline.account].subscription(deadline.transaction) else { return }
        switch deadline.kind {
        case .priceNotice: announcePrice(to: subscription, by: deadline.account)
        case .charge: renew(subscription, by: deadline.account, from: subscription.renewalDate, keepingAnchor: true)
        case .endOfPeriod: endPeriod(of: subscription, by: deadline.account)
        case .endOfGrace: endGrace(of: subscription, by: deadline.account)
        case .endOfRetry: endRetry(of: subscription, by: deadline.account)
        case .refundDecision: break
        }
    }
}
