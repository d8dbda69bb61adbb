/// The transition table. It determines how each cause changes the state of a subscription, and which notifications the
/// developer's server receives.
///
/// Each state has one function. A test compares these functions with the table in docs/api/lifecycle.md (States and
/// causes). `Event.notice` has the notification for each event. Commands choose the cause of an action, and `Deadline`
/// chooses the cause of an event that time triggers. `Ledger.apply` looks up the steps in this table and writes the
/// result.
///
/// `latest` is the period of the latest transaction, which determines the status. Production charges for it up to 24
/// hours before it begins. Until it begins, `previous` is the current period. In `active(current:paidAhead:)`, `latest`
/// is `paidAhead` and `previous` is `current`. A refund of `latest` is the cause `refund`. A refund of any other
/// transaction, including `previous`, is the cause `refundOfEarlier` and does not change the status.
package enum Transitions {
    /// The type of the table. A test replaces the table with a faulty one and expects the simulation to fail.
    package typealias Rule = @Sendable (SubscriptionState?, Cause, Timestamp) throws(Objection) -> [Step]

    /// One step of a transition. Most transitions have one step. The notification of each step shows the state after
    /// that step.
    package struct Step: Equatable, Sendable {
        /// The state after this step.
        package let state: SubscriptionState
        /// Nil if the step causes no notification.
        package let event: Event?

        /// A step to the given state.
        package init(_ state: SubscriptionState, _ event: Event? = nil) {
            self.state = state
            self.event = event
        }
    }

    /// The steps from a state for a cause.
    ///
    /// - Parameters:
    ///   - state: Nil for a customer who never subscribed to the group.
    ///   - now: The instant of the cause.
    /// - Throws: The reason why the cause is impossible in the state.
    package static func steps(
        from state: SubscriptionState?,
        _ cause: Cause,
        at now: Timestamp
    ) throws(Objection) -> [Step] {
        switch state {
        case nil: try none(cause)
        case .active(let current, let paidAhead)?: try active(current, paidAhead, cause, now)
        case .gracePeriod(let latest, let until, let retryUntil)?:
            try gracePeriod(latest, until, retryUntil, cause, now)
        case .billingRetry(let latest, let until, let graceEnded)?:
            try billingRetry(latest, until, graceEnded, cause, now)
        case .expired(let latest, let reason, let instant)?: try expired(latest, reason, instant, cause)
        case .revoked(let latest, let previous, let resumes)?: try revoked(latest, previous, resumes, cause, now)
        }
    }

    // MARK: No subscription

    private static func none(_ cause: Cause) throws(Objection) -> [Step] {
        guard case .purchase(let first) = cause else { throw .neverSubscribed }
        return [Step(.active(first), .subscribed(first.id))]
    }

    // MARK: Status 1, active

    private static func active(
        _ current: SubscriptionPeriod,
        _ paidAhead: SubscriptionPeriod?,
        _ cause: Cause,
        _ now: Timestamp
    ) throws(Objection) -> [Step] {
        let same = SubscriptionState.active(current: current, paidAhead: paidAhead)
        let (latest, previous) = (same.latest, same.previous)
        return switch cause {
        case .renewal(let next): [Step(.active(next, previous: now < next.start ? latest : nil), .renewed(next.id))]
        case .autoRenewOff: [Step(same, .autoRenewDisabled(latest.id))]
        case .autoRenewOn: [Step(same, .autoRenewEnabled(latest.id))]
        // A plan of a higher level begins at once and replaces the current period and the period charged in advance.
        case .planChange(let next, let offer):
            [Step(.active(next), .upgraded(from: latest.id, to: next.id, withOffer: offer))]
        // The plan begins at the next renewal.
        case .planChoice(let product, let offer):
            [Step(same, .planChangeChosen(latest.id, product: product, withOffer: offer))]
        case .choiceWithdrawal: [Step(same, .planChangeWithdrawn(latest.id))]
        case .offer: [Step(same, .offerRedeemed(latest.id))]
        case .endOfPeriod(let intent): [expiry(of: latest, intent, now)]
        // Auto-renewal is turned off after the period has ended, so both notifications have the status "expired".
        case .renewalLimit:
            [
                Step(expiry(of: latest, .customer, now).state, .autoRenewDisabled(latest.id)),
                expiry(of: latest, .customer, now),
            ]
        case .chargeFailure(graceUntil: nil, let retryUntil):
            [Step(.billingRetry(latest, until: retryUntil, graceEnded: nil), .failedToRenew(latest.id))]
        case .chargeFailure(let until?, let retryUntil):
            [Step(.gracePeriod(latest, until: until, retryUntil: retryUntil), .gracePeriodEntered(latest.id))]
        case .priceNotice(needsConsent: true): [Step(same, .priceIncreasePending(latest.id))]
        case .priceNotice(needsConsent: false), .priceConsent: [Step(same, .priceIncreaseAccepted(latest.id))]
        // The notification of a price increase comes later. A change of family sharing only notifies family members.
        case .priceRise, .sharing, .missedCharge: [Step(same)]
        // This also applies while `previous` is the current period, because the latest transaction determines the
        // status.
        case .refund(let refunded):
            [Step(.revoked(refunded, previous: previous, resumes: .period), .refunded(refunded.id))]
        case .refundOfEarlier(let id): [Step(same, .refunded(id))]
        case .reversalOfEarlier(let id): [Step(same, .refundReversed(id))]
        case .renewalExtension(let longer): [Step(.active(longer, previous: previous), .extended(longer.id))]
        // A mass extension applies to active subscriptions only, so this cause occurs in no other state.
        case .renewalExtensionFailure: [Step(same, .extensionFailed(latest.id))]
        case .purchase: throw .alreadySubscribed
        case .recovery: throw .noPaymentAwaited
        case .endOfGrace, .endOfRetry: throw .notDue
        case .reversal: throw .notRevoked
        }
    }

    // MARK: Status 4, grace period

    private static func gracePeriod(
        _ latest: SubscriptionPeriod,
        _ until: Timestamp,
        _ retryUntil: Timestamp,
        _ cause: Cause,
        _ now: Timestamp
    ) throws(Objection) -> [Step] {
        let same = SubscriptionState.gracePeriod(latest, until: until, retryUntil: retryUntil)
        return switch cause {
        case .endOfGrace:
            [Step(.billingRetry(latest, until: retryUntil, graceEnded: until), .gracePeriodExpired(latest.id))]
        // Turning auto-renewal off ends the grace period, so auto-renewal is always on in this state.
        case .autoRenewOn: throw .autoRenewIsOn
        case .autoRenewOff(isBound: true): throw .commitmentHasNoGrace
        case .endOfRetry: throw .notDue
        default: try unpaid(same, cause, inGrace: true, now)
        }
    }

    // MARK: Status 3, billing retry

    private static func billingRetry(
        _ latest: SubscriptionPeriod,
        _ until: Timestamp,
        _ graceEnded: Timestamp?,
        _ cause: Cause,
        _ now: Timestamp
    ) throws(Objection) -> [Step] {
        let same = SubscriptionState.billingRetry(latest, until: until, graceEnded: graceEnded)
        return switch cause {
        case .endOfRetry:
            [Step(.expired(latest, .billing(graceEnded: graceEnded), at: now), .expired(latest.id, .billing))]
        // The customer owes the remaining months of a commitment, whether or not it renews.
        case .autoRenewOff(isBound: true): [Step(same, .autoRenewDisabled(latest.id))]
        // This occurs for commitments only. For any other subscription, turning auto-renewal off ends billing retry.
        case .autoRenewOn: [Step(same, .autoRenewEnabled(latest.id))]
        case .endOfGrace: throw .notDue
        default: try unpaid(same, cause, inGrace: false, now)
        }
    }

    // MARK: Status 4 and 3, grace period or billing retry

    private static func unpaid(
        _ same: SubscriptionState,
        _ cause: Cause,
        inGrace: Bool,
        _ now: Timestamp
    ) throws(Objection) -> [Step] {
        let latest = same.latest
        return switch cause {
        case .recovery(let next): [Step(.active(next), .recovered(next.id))]
        // The customer gives up the payment. The first notification still shows the old status.
        case .autoRenewOff:
            [
                Step(same, .autoRenewDisabled(latest.id)),
                Step(.expired(latest, .customer(leftInGrace: inGrace), at: now), .expired(latest.id, .customer)),
            ]
        // This applies to any product of the group, because there is no current period that a change of plan could
        // replace.
        case .purchase(let next): [Step(.active(next), .resubscribed(next.id))]
        case .priceRise, .sharing: [Step(same)]
        case .refund(let refunded):
            [Step(.revoked(refunded, previous: nil, resumes: same.resumable), .refunded(refunded.id))]
        case .refundOfEarlier(let id): [Step(same, .refunded(id))]
        case .reversalOfEarlier(let id): [Step(same, .refundReversed(id))]
        case .planChange, .planChoice, .choiceWithdrawal, .offer, .priceConsent, .renewalExtension,
            .renewalExtensionFailure:
            throw .paymentAwaited
        case .autoRenewOn, .missedCharge, .renewal, .endOfPeriod, .renewalLimit, .chargeFailure, .endOfGrace,
            .endOfRetry, .priceNotice:
            throw .notDue
        case .reversal: throw .notRevoked
        }
    }

    // MARK: Status 2, expired

    private static func expired(
        _ latest: SubscriptionPeriod,
        _ reason: ExpirationReason,
        _ instant: Timestamp,
        _ cause: Cause
    ) throws(Objection) -> [Step] {
        let same = SubscriptionState.expired(latest, reason, at: instant)
        return switch cause {
        case .purchase(let next): [Step(.active(next), .resubscribed(next.id))]
        case .sharing: [Step(same)]
        case .refund(let refunded):
            [Step(.revoked(refunded, previous: nil, resumes: same.resumable), .refunded(refunded.id))]
        case .refundOfEarlier(let id): [Step(same, .refunded(id))]
        case .reversalOfEarlier(let id): [Step(same, .refundReversed(id))]
        case .autoRenewOff, .autoRenewOn, .planChange, .planChoice, .choiceWithdrawal, .offer, .priceConsent,
            .priceRise, .renewalExtension, .renewalExtensionFailure:
            throw .notSubscribed
        case .recovery: throw .noPaymentAwaited
        case .missedCharge, .renewal, .endOfPeriod, .renewalLimit, .chargeFailure, .endOfGrace, .endOfRetry,
            .priceNotice:
            throw .notDue
        case .reversal: throw .notRevoked
        }
    }

    // MARK: Status 5, revoked

    private static func revoked(
        _ latest: SubscriptionPeriod,
        _ previous: SubscriptionPeriod?,
        _ resumes: ResumableState,
        _ cause: Cause,
        _ now: Timestamp
    ) throws(Objection) -> [Step] {
        let same = SubscriptionState.revoked(latest, previous: previous, resumes: resumes)
        return switch cause {
        case .purchase(let next): [Step(.active(next), .resubscribed(next.id))]
        case .reversal(let restored, let endedWhy):
            [Step(resumed(restored, previous, resumes, endedWhy, now), .refundReversed(restored.id))]
        case .sharing: [Step(same)]
        case .refundOfEarlier(let id): [Step(same, .refunded(id))]
        case .reversalOfEarlier(let id): [Step(same, .refundReversed(id))]
        case .autoRenewOff, .autoRenewOn, .planChange, .planChoice, .choiceWithdrawal, .offer, .priceConsent,
            .priceRise, .renewalExtension, .renewalExtensionFailure:
            throw .notSubscribed
        case .refund: throw .alreadyRevoked
        case .recovery: throw .noPaymentAwaited
        case .missedCharge, .renewal, .endOfPeriod, .renewalLimit, .chargeFailure, .endOfGrace, .endOfRetry,
            .priceNotice:
            throw .notDue
        }
    }

    // MARK: Helpers

    private static func expiry(of latest: SubscriptionPeriod, _ intent: ExpirationIntent, _ now: Timestamp) -> Step {
        Step(.expired(latest, ExpirationReason(intent), at: now), .expired(latest.id, intent))
    }

    /// The state after a reversed refund. If a deadline passed while the transaction was refunded, the deadline takes
    /// effect at its own instant and sends no notification. A grace period may have become billing retry, and billing
    /// retry may have expired.
    private static func resumed(
        _ latest: SubscriptionPeriod,
        _ previous: SubscriptionPeriod?,
        _ resumes: ResumableState,
        _ endedWhy: ExpirationReason,
        _ now: Timestamp
    ) -> SubscriptionState {
        var resumes = resumes
        if case .period = resumes, now >= latest.end { resumes = .expired(endedWhy, at: latest.end) }
        if case .gracePeriod(let until, let retryUntil) = resumes, now >= until {
            resumes = .billingRetry(until: retryUntil, graceEnded: until)
        }
        if case .billingRetry(let until, let graceEnded) = resumes, now >= until {
            resumes = .expired(.billing(graceEnded: graceEnded), at: until)
        }
        return SubscriptionState(latest, previous: previous, resuming: resumes)
    }
}
