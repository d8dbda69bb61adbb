/// The state of a subscription, including its dates and transactions (docs/api/lifecycle.md, States).
///
/// `Transitions.swift` defines all transitions.
package indirect enum SubscriptionState: Equatable, Sendable {
    /// Status 1. Production charges for the next period 24 hours in advance. From the charge on, `paidAhead` is the
    /// latest transaction. Its period begins at the end of the current period; no event happens then.
    case active(current: SubscriptionPeriod, paidAhead: SubscriptionPeriod?)
    /// Status 4. The payment for a renewal failed, and the customer keeps access until the end of the grace period.
    case gracePeriod(SubscriptionPeriod, until: Timestamp, retryUntil: Timestamp)
    /// Status 3. The payment for a renewal failed. `graceEnded` is the end of the grace period; nil if there was none.
    case billingRetry(SubscriptionPeriod, until: Timestamp, graceEnded: Timestamp?)
    /// Status 2. The period has ended, and the store does not retry a payment.
    case expired(SubscriptionPeriod, ExpirationReason, at: Timestamp)
    /// Status 5. The latest transaction was refunded, or a family member lost access.
    case revoked(SubscriptionPeriod, previous: SubscriptionPeriod?, resumes: ResumableState)

    /// The state of a subscription. It is revoked if the latest transaction is revoked.
    init(_ latest: SubscriptionPeriod, previous: SubscriptionPeriod?, resuming resumes: ResumableState) {
        if latest.isRevoked {
            self = .revoked(latest, previous: previous, resumes: resumes)
            return
        }
        switch resumes {
        case .period: self = .active(latest, previous: previous)
        case .gracePeriod(let until, let retryUntil):
            self = .gracePeriod(latest, until: until, retryUntil: retryUntil)
        case .billingRetry(let until, let ended): self = .billingRetry(latest, until: until, graceEnded: ended)
        case .expired(let reason, let instant): self = .expired(latest, reason, at: instant)
        }
    }

    /// An active subscription.
    ///
    /// - Parameter previous: The current period, if `latest` was charged in advance.
    package static func active(_ latest: SubscriptionPeriod, previous: SubscriptionPeriod? = nil) -> SubscriptionState {
        if let previous { return .active(current: previous, paidAhead: latest) }
        return .active(current: latest, paidAhead: nil)
    }
}

/// The reason why a subscription expired.
package enum ExpirationReason: Equatable, Sendable {
    /// The customer turned auto-renewal off. `leftInGrace`: the customer did so during a grace period, which ended at
    /// once.
    case customer(leftInGrace: Bool)
    /// The last attempt to charge failed. `graceEnded` is the end of the grace period; nil if there was none.
    case billing(graceEnded: Timestamp?)
    /// The customer did not agree to a price increase.
    case priceIncrease
    case productUnavailable
    case other

    /// `expirationIntent` in the payload.
    package var intent: ExpirationIntent {
        switch self {
        case .customer: .customer
        case .billing: .billing
        case .priceIncrease: .priceIncrease
        case .productUnavailable: .productUnavailable
        case .other: .other
        }
    }
}

/// The state of a revoked subscription after its refund is reversed.
package enum ResumableState: Equatable, Sendable {
    /// Active until the end of the period, and expired after it.
    case period
    case gracePeriod(until: Timestamp, retryUntil: Timestamp)
    case billingRetry(until: Timestamp, graceEnded: Timestamp?)
    case expired(ExpirationReason, at: Timestamp)
}

extension SubscriptionState {
    /// `status` in Apple's responses and payloads. The latest transaction determines it, even if its period has not
    /// begun.
    package var status: SubscriptionStatus {
        switch self {
        case .active: .active
        case .gracePeriod: .gracePeriod
        case .billingRetry: .billingRetry
        case .expired: .expired
        case .revoked: .revoked
        }
    }

    /// The period of the latest transaction.
    package var latest: SubscriptionPeriod {
        switch self {
        case .active(let current, let paidAhead): paidAhead ?? current
        case .gracePeriod(let latest, _, _), .billingRetry(let latest, _, _), .expired(let latest, _, _),
            .revoked(let latest, _, _):
            latest
        }
    }

    /// The period before the latest, if the latest was charged in advance. It is current until the latest period
    /// begins.
    package var previous: SubscriptionPeriod? {
        switch self {
        case .active(let current, let paidAhead): paidAhead == nil ? nil : current
        case .revoked(_, let previous, _): previous
        case .gracePeriod, .billingRetry, .expired: nil
        }
    }

    /// The current period at an instant: the latest period, or the period before it if the latest has not begun.
    package func current(at now: Timestamp) -> SubscriptionPeriod {
        now < latest.start ? previous ?? latest : latest
    }

    /// The previous period, if there is one, and the latest period, in this order.
    package var periods: [SubscriptionPeriod] { [previous, latest].compactMap(\.self) }

    /// Whether the customer may use the product.
    package var givesAccess: Bool {
        switch self {
        case .active, .gracePeriod: true
        case .billingRetry, .expired, .revoked: false
        }
    }

    /// Whether the subscription can still renew: it is neither expired nor revoked.
    package var isOpen: Bool { givesAccess || awaitsPayment }

    /// Whether the subscription is in grace or billing retry, so that the store retries the payment.
    package var awaitsPayment: Bool {
        switch self {
        case .gracePeriod, .billingRetry: true
        case .active, .expired, .revoked: false
        }
    }

    /// The state after the refund is reversed, including its dates.
    var resumable: ResumableState {
        switch self {
        case .active: .period
        case .gracePeriod(_, let until, let retryUntil): .gracePeriod(until: until, retryUntil: retryUntil)
        case .billingRetry(_, let until, let graceEnded): .billingRetry(until: until, graceEnded: graceEnded)
        case .expired(_, let reason, let instant): .expired(reason, at: instant)
        case .revoked(_, _, let resumes): resumes
        }
    }

    /// The same state with other periods, such as those of a family member's copy, or with a changed transaction.
    package func with(latest: SubscriptionPeriod, previous: SubscriptionPeriod?) -> SubscriptionState {
        switch self {
        case .active: .active(latest, previous: previous)
        case .gracePeriod(_, let until, let retryUntil): .gracePeriod(latest, until: until, retryUntil: retryUntil)
        case .billingRetry(_, let until, let graceEnded): .billingRetry(latest, until: until, graceEnded: graceEnded)
        case .expired(_, let reason, let instant): .expired(latest, reason, at: instant)
        case .revoked(_, _, let resumes): .revoked(latest, previous: previous, resumes: resumes)
        }
    }

    /// The same state, with the change applied to every transaction.
    package func map(_ change: (Transaction) -> Transaction) -> SubscriptionState {
        func changed(_ period: SubscriptionPeriod) -> SubscriptionPeriod {
            let transaction = change(period.transaction)
            return SubscriptionPeriod(transaction, until: transaction.expiresDate ?? period.end)
        }
        return with(latest: changed(latest), previous: previous.map(changed))
    }

    /// Whether a transaction belongs to one of the periods.
    func contains(_ id: TransactionID) -> Bool { latest.id == id || previous?.id == id }
}

/// A failed payment for a renewal. The grace period comes first, if there is one, and then billing retry.
package struct FailedPayment: Equatable, Sendable {
    /// The end of the grace period; nil if there is none.
    package let graceUntil: Timestamp?
    /// Whether the grace period has ended, or there was none.
    package let isGraceOver: Bool
    /// The instant of the last attempt to charge.
    package let retryUntil: Timestamp
}

extension SubscriptionState {
    /// The failed payment for the period after the latest one. The store may still retry it, may have given up after
    /// the last attempt, or may have refunded the latest transaction since.
    package var failedPayment: FailedPayment? {
        switch resumable {
        case .gracePeriod(let until, let retryUntil):
            FailedPayment(graceUntil: until, isGraceOver: false, retryUntil: retryUntil)
        case .billingRetry(let until, let graceEnded), .expired(.billing(let graceEnded), let until):
            FailedPayment(graceUntil: graceEnded, isGraceOver: true, retryUntil: until)
        case .period, .expired: nil
        }
    }
}
