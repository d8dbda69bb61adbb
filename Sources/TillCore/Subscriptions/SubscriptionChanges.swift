/// The only code that changes a subscription. `Transitions` decides on the new state; the ledger writes it, records the
/// events and updates the family members' copies.
extension Ledger {
    /// Applies a cause to a customer's own subscription.
    ///
    /// - Parameter edit: Other changes that are made together with the first step, such as preferences, offers and
    ///   prices.
    mutating func apply(
        _ cause: Cause,
        to original: TransactionID,
        of id: AccountID,
        _ edit: (inout Subscription) -> Void = { _ in }
    ) throws(Refusal) {
        guard var subscription = self[id].subscription(original) else { throw .unknownSubscription(original) }
        let steps = try steps(from: subscription, by: cause, original)
        edit(&subscription)
        carryOut(steps, on: subscription, of: id)
    }

    /// Starts a subscription: the customer's first in the group, or a resubscription.
    ///
    /// - Parameters:
    ///   - held: The customer's existing subscription to the group; nil for a first purchase.
    ///   - begun: The new subscription. The transition sets its state.
    mutating func begin(
        _ begun: Subscription,
        with period: SubscriptionPeriod,
        after held: Subscription?,
        of id: AccountID
    ) throws(Refusal) {
        let steps = try steps(from: held, by: .purchase(period), begun.originalID)
        carryOut(steps, on: begun, of: id)
    }

    /// Applies a cause that results from a deadline of the ledger, which every state must accept.
    mutating func applyDue(
        _ cause: Cause,
        to subscription: Subscription,
        of id: AccountID,
        _ edit: (inout Subscription) -> Void = { _ in }
    ) {
        do {
            try apply(cause, to: subscription.originalID, of: id, edit)
        } catch {
            preconditionFailure("\(cause) was due in \(subscription.status) and refused: \(error.explanation)")
        }
    }

    private func steps(
        from subscription: Subscription?,
        by cause: Cause,
        _ original: TransactionID
    ) throws(Refusal) -> [Transitions.Step] {
        do throws(Objection) {
            return try rule(subscription?.state, cause, now)
        } catch {
            guard let subscription else { throw .unknownSubscription(original) }
            throw refusal(because: error, subscription)
        }
    }

    /// The refusal of a command for an objection. Commands check all other conditions before this one.
    private func refusal(because objection: Objection, _ subscription: Subscription) -> Refusal {
        let original = subscription.originalID
        let latest = subscription.latestTransaction
        return switch objection {
        case .neverSubscribed: .unknownSubscription(original)
        case .alreadySubscribed, .noPaymentAwaited, .notDue:
            .alreadySubscribed(product: latest.productID, until: subscription.renewalDate)
        case .notSubscribed: .notSubscribed(original, since: latest.revocation?.date ?? subscription.renewalDate)
        case .autoRenewIsOn: .autoRenewIsOn(original)
        case .paymentAwaited, .commitmentHasNoGrace: .extensionIneligible(original, because: .notActive)
        case .alreadyRevoked: .alreadyRevoked(latest.id, on: latest.revocation?.date ?? now)
        case .notRevoked: .notRefunded(latest.id)
        }
    }

    private mutating func carryOut(_ steps: [Transitions.Step], on subscription: Subscription, of id: AccountID) {
        var subscription = subscription
        for step in steps {
            subscription.state = step.state
            if case .expired = step.state { subscription.preference.autoRenews = false }
            self[id].put(subscription)
            if let event = step.event { note(event) } else { touch(id) }
            project(subscription, after: step.event, by: id)
        }
    }
}
