/// The state of a subscription, with its dates and transactions (docs/api/lifecycle.md, States).
///
/// `Transitions.swift` defines all transitions.
package indirect enum SubscriptionState: Equatable, Sendable {
    /// Status 1. Production charges for the next period 24 hours ahead: then `paidAhead` is the latest transaction, and
    /// its period begins when the current one ends. Nothing changes at that instant.
    case active(current: SubscriptionPeriod, paidAhead: SubscriptionPeriod?)
    /// Status 4. A renewal could not be charged, and access continues until a date.
    case gracePeriod(SubscriptionPeriod, until: Timestamp, retryUntil: Timestamp)
    /// Status 3. A renewal could not be charged. `graceEnded` is the end of the grace period, if there was one.
    case billingRetry(SubscriptionPeriod, until: Timestamp, graceEnded: Timestamp?)
    /// Status 2. The period is over, and nothing is retried.
    case expired(SubscriptionPeriod, ExpirationReason, at: Timestamp)
    /// Status 5. The latest transaction was refunded, or a family member's access ended.
    case revoked(SubscriptionPeriod, previous: SubscriptionPeriod?, resumes: ResumableState)

    /// The state of a subscription; the latest transaction decides whether it is revoked.
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
    /// - Parameter previous: the current period when `latest` was charged ahead.
    package static func active(_ latest: SubscriptionPeriod, previous: SubscriptionPeriod? = nil) -> SubscriptionState {
        if let previous { return .active(current: previous, paidAhead: latest) }
        return .active(current: latest, paidAhead: nil)
    }
}

/// Why a subscription expired.
package enum ExpirationReason: Equatable, Sendable {
    /// The customer turned auto-renewal off. `leftInGrace`: during a grace period, which ended it at once.
    case customer(leftInGrace: Bool)
    /// The last retry failed. `graceEnded` is the end of the grace period, if there was one.
    case billing(graceEnded: Timestamp?)
    /// The customer did not agree to a higher price.
    case priceIncrease
    case productUnavailable
    case other

    /// `expirationIntent` on the wire.
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

/// What a revoked subscription returns to when its refund is reversed.
package enum ResumableState: Equatable, Sendable {
    /// Active until the end of the period, expired afterwards.
    case period
    case gracePeriod(until: Timestamp, retryUntil: Timestamp)
    case billingRetry(until: Timestamp, graceEnded: Timestamp?)
    case expired(ExpirationReason, at: Timestamp)
}

/// `status` on the wire (docs/api/subscriptions.md).
package enum SubscriptionStatus: Int, Codable, CaseIterable, Sendable {
    case active = 1
    case expired = 2
    case billingRetry = 3
    case gracePeriod = 4
    case revoked = 5
}

/// `expirationIntent` on the wire: why a subscription ended.
package enum ExpirationIntent: Int, Codable, CaseIterable, Sendable {
    case customer = 1
    case billing = 2
    case priceIncrease = 3
    case productUnavailable = 4
    case other = 5
}

extension SubscriptionState {
    /// `status` on the wire. It follows the latest transaction, even during an earlier period.
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

    /// The period before the latest, if the latest was charged ahead. It is current until the latest begins.
    package var previous: SubscriptionPeriod? {
        switch self {
        case .active(let current, let paidAhead): paidAhead == nil ? nil : current
        case .revoked(_, let previous, _): previous
        case .gracePeriod, .billingRetry, .expired: nil
        }
    }

    /// The current period at an instant: the latest, or the one before it while the latest has not begun.
    package func current(at now: Timestamp) -> SubscriptionPeriod {
        now < latest.start ? previous ?? latest : latest
    }

    /// Both periods, the earlier first.
    package var periods: [SubscriptionPeriod] { [previous, latest].compactMap(\.self) }

    /// Whether the customer may use the product.
    package var givesAccess: Bool {
        switch self {
        case .active, .gracePeriod: true
        case .billingRetry, .expired, .revoked: false
        }
    }

    /// Whether the subscription continues: neither expired nor revoked.
    package var isOpen: Bool { givesAccess || awaitsPayment }

    /// Whether the store retries the charge of a renewal.
    package var awaitsPayment: Bool {
        switch self {
        case .gracePeriod, .billingRetry: true
        case .active, .expired, .revoked: false
        }
    }

    /// The state after a reversed refund, with the state's dates.
    var resumable: ResumableState {
        switch self {
        case .active: .period
        case .gracePeriod(_, let until, let retryUntil): .gracePeriod(until: until, retryUntil: retryUntil)
        case .billingRetry(_, let until, let graceEnded): .billingRetry(until: until, graceEnded: graceEnded)
        case .expired(_, let reason, let instant): .expired(reason, at: instant)
        case .revoked(_, _, let resumes): resumes
        }
    }

    /// The same state with other periods: those of a family member's copy, or with a changed transaction.
    package func with(latest: SubscriptionPeriod, previous: SubscriptionPeriod?) -> SubscriptionState {
        switch self {
        case .active: .active(latest, previous: previous)
        case .gracePeriod(_, let until, let retryUntil): .gracePeriod(latest, until: until, retryUntil: retryUntil)
        case .billingRetry(_, let until, let graceEnded): .billingRetry(latest, until: until, graceEnded: graceEnded)
        case .expired(_, let reason, let instant): .expired(latest, reason, at: instant)
        case .revoked(_, _, let resumes): .revoked(latest, previous: previous, resumes: resumes)
        }
    }

    /// The same state with every transaction changed.
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

/// A renewal that could not be charged: grace if there is any, then retries.
package struct FailedPayment: Equatable, Sendable {
    /// The end of the grace period; nil without one.
    package let graceUntil: Timestamp?
    /// Whether the grace period is over, or there is none.
    package let isGraceOver: Bool
    /// The last attempt to charge.
    package let retryUntil: Timestamp
}

extension SubscriptionState {
    /// The failed payment after the latest period: awaited, abandoned after the last retry, or refunded meanwhile.
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
