import TillCore

/// The rows of the transition table (docs/api/lifecycle.md, section States). A row with several possible notifications
/// has a case for each of them.
package enum Transition: String, CaseIterable, Sendable {
    case firstPurchase = "none, first purchase → 1"
    case renewal = "1, renewal paid → 1"
    case autoRenewOff = "1, auto-renew off → 1"
    case autoRenewOn = "1, auto-renew on → 1"
    case upgrade = "1, upgrade or crossgrade as long → 1"
    case upgradeWithOffer = "1, upgrade with an offer → 1"
    case downgrade = "1, downgrade or other crossgrade chosen → 1"
    case downgradeWithOffer = "1, downgrade with an offer chosen → 1"
    case changeWithdrawn = "1, pending change withdrawn → 1"
    case offerAccepted = "1, offer on same product accepted → 1"
    case endedVoluntarily = "1, period ends with auto-renew off → 2"
    case endedWithoutConsent = "1, period ends without consent → 2"
    case endedNotForSale = "1, period ends, product removed from sale → 2"
    case failedWithoutGrace = "1, payment fails without grace → 3"
    case failedWithGrace = "1, payment fails with grace → 4"
    case recoveredInGrace = "4, payment succeeds → 1"
    case graceEnded = "4, grace ends → 3"
    case recoveredInRetry = "3, payment succeeds → 1"
    case retryEnded = "3, retry limit → 2"
    case gaveUpInRetry = "3, customer cancels → 2"
    case gaveUpInGrace = "4, customer cancels → 2"
    case resubscribed = "2, purchase in the group → 1"
    case boughtSameInRetry = "3, customer buys the same product → 1"
    case boughtOtherInRetry = "3, customer buys another product → 1"
    case refundedActive = "1, refund of the latest transaction → 5"
    case refundedInGrace = "4, refund of the latest transaction → 5"
    case refundedOlder = "any, refund of an older transaction → unchanged"
    case reversedToActive = "5, refund reversed → 1"
    case reversedToExpired = "5, refund reversed → 2"
    case resubscribedAfterRefund = "5, purchase in the group → 1"
    case sharingEnded = "1 (family), sharing ends → 5"
    case extended = "1, date extended → 1"
}

/// Counts the transitions of workloads, and collects the transitions that are not in the table.
package struct TransitionCount: Sendable {
    /// The number of times that each row of the table occurred.
    package private(set) var reached: [Transition: Int] = [:]
    /// For each kind of command, how many were run and how many of these were not refused.
    package private(set) var commands: [CommandKind: (tried: Int, done: Int)] = [:]
    /// The status changes that are not in the table, with their notification and their number.
    package private(set) var strange: [String: Int] = [:]
    private var statuses: [TransactionID: SubscriptionStatus] = [:]

    /// Creates a count without entries.
    package init() {}

    /// Counts the notifications of an operation or of an advance.
    mutating func count(_ notifications: some Sequence<Notification>, after operation: Operation?) {
        var isPurchase = false
        if case .command(.purchase, _) = operation { isPurchase = true }
        if case .command(.decideHeldPurchase, _) = operation { isPurchase = true }
        for notification in notifications {
            guard let status = notification.status else { continue }
            let original = notification.transaction.originalID
            let before = statuses[original]
            statuses[original] = status
            let step = Step(
                before: before,
                words: notification.words,
                after: status,
                isPurchase: isPurchase,
                isShared: notification.transaction.ownership == .familyShared
            )
            if let transition = step.transition {
                reached[transition, default: 0] += 1
            } else if !step.isOrdinary {
                strange[step.text, default: 0] += 1
            }
        }
    }

    /// Reads the present statuses, because a family member can regain access without a notification.
    mutating func note(_ observation: Observation) {
        for account in observation.accounts.values {
            for subscription in account.heldSubscriptions where statuses[subscription.originalID] != nil {
                statuses[subscription.originalID] = subscription.status
            }
        }
    }

    /// Counts an operation.
    mutating func count(_ operation: Operation, isRefused: Bool) {
        let kinds: [CommandKind] =
            switch operation {
            case .command(let command, _): [CommandKind(command)]
            case .sell(_, let job): [job].compactMap { $0 }.map { CommandKind($0) }
            case .job(let job): [CommandKind(job)]
            case .grace, .nothing: []
            }
        for kind in kinds {
            let present = commands[kind] ?? (0, 0)
            commands[kind] = (present.tried + 1, present.done + (isRefused ? 0 : 1))
        }
    }

    /// Adds the numbers of another count.
    package mutating func add(_ other: TransitionCount) {
        reached.merge(other.reached) { $0 + $1 }
        strange.merge(other.strange) { $0 + $1 }
        commands.merge(other.commands) { ($0.tried + $1.tried, $0.done + $1.done) }
    }

    /// The rows of the table that occurred less often than this.
    package func rare(below times: Int) -> [Transition] {
        Transition.allCases.filter { reached[$0, default: 0] < times }
    }

    /// The commands that never succeeded.
    package var unused: [CommandKind] { CommandKind.allCases.filter { (commands[$0]?.done ?? 0) == 0 } }

    /// The number of every row of the table and of every command, as text.
    package var text: String {
        let rows = Transition.allCases.map { "\(padded(reached[$0, default: 0]))  \($0.rawValue)" }
        let kinds = CommandKind.allCases.map { kind in
            let count = commands[kind] ?? (0, 0)
            return "\(padded(count.done))  \(kind.rawValue) (\(count.tried - count.done) refused)"
        }
        let others = strange.sorted { $0.key < $1.key }.map { "\(padded($0.value))  \($0.key)" }
        let last = others.isEmpty ? [] : ["", "not in the table:"] + others
        return (rows + [""] + kinds + last).joined(separator: "\n")
    }

    private func padded(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: " ", count: max(0, 7 - digits.count)) + digits
    }
}

/// One notification of a subscription, with the statuses before and after it.
private struct Step {
    let before: SubscriptionStatus?
    let words: String
    let after: SubscriptionStatus
    let isPurchase: Bool
    let isShared: Bool

    var text: String { "\(before.map { String($0.rawValue) } ?? "none"), \(words) → \(after.rawValue)" + family }
    private var family: String { isShared ? " (family)" : "" }

    /// The row of the table; nil if no row matches.
    var transition: Transition? {
        switch (before, words, after) {
        case (nil, "SUBSCRIBED/INITIAL_BUY", .active): .firstPurchase
        case (.active, "DID_RENEW", .active): .renewal
        case (.active, "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED", .active): .autoRenewOff
        case (.active, "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED", .active): .autoRenewOn
        case (.active, "DID_CHANGE_RENEWAL_PREF/UPGRADE", .active): .upgrade
        case (.active, "OFFER_REDEEMED/UPGRADE", .active): .upgradeWithOffer
        case (.active, "DID_CHANGE_RENEWAL_PREF/DOWNGRADE", .active): .downgrade
        case (.active, "OFFER_REDEEMED/DOWNGRADE", .active): .downgradeWithOffer
        case (.active, "DID_CHANGE_RENEWAL_PREF", .active): .changeWithdrawn
        case (.active, "OFFER_REDEEMED", .active): .offerAccepted
        case (.active, "EXPIRED/VOLUNTARY", .expired): .endedVoluntarily
        case (.active, "EXPIRED/PRICE_INCREASE", .expired): .endedWithoutConsent
        case (.active, "EXPIRED/PRODUCT_NOT_FOR_SALE", .expired): .endedNotForSale
        case (.active, "DID_FAIL_TO_RENEW", .billingRetry): .failedWithoutGrace
        case (.active, "DID_FAIL_TO_RENEW/GRACE_PERIOD", .gracePeriod): .failedWithGrace
        case (.gracePeriod, "DID_RENEW/BILLING_RECOVERY", .active): .recoveredInGrace
        case (.gracePeriod, "GRACE_PERIOD_EXPIRED", .billingRetry): .graceEnded
        case (.billingRetry, "DID_RENEW/BILLING_RECOVERY", .active): isPurchase ? .boughtSameInRetry : .recoveredInRetry
        case (.billingRetry, "EXPIRED/BILLING_RETRY", .expired): .retryEnded
        case (.billingRetry, "EXPIRED/VOLUNTARY", .expired): .gaveUpInRetry
        case (.gracePeriod, "EXPIRED/VOLUNTARY", .expired): .gaveUpInGrace
        case (.expired, "SUBSCRIBED/RESUBSCRIBE", .active): .resubscribed
        case (.billingRetry, "SUBSCRIBED/RESUBSCRIBE", .active): .boughtOtherInRetry
        case (.active, "REFUND", .revoked): .refundedActive
        case (.gracePeriod, "REFUND", .revoked): .refundedInGrace
        case (let before?, "REFUND", let after) where before == after: .refundedOlder
        case (.revoked, "REFUND_REVERSED", .active): .reversedToActive
        case (.revoked, "REFUND_REVERSED", .expired): .reversedToExpired
        case (.revoked, "SUBSCRIBED/RESUBSCRIBE", .active): .resubscribedAfterRefund
        case (.active, "REVOKE", .revoked): .sharingEnded
        case (.active, "RENEWAL_EXTENDED", .active): .extended
        default: nil
        }
    }

    /// Whether the notification leaves the status unchanged, or the table does not mention it.
    var isOrdinary: Bool {
        switch words {
        case "PRICE_INCREASE/PENDING", "PRICE_INCREASE/ACCEPTED", "RENEWAL_EXTENSION/FAILURE":
            before == after && (after == .active || after == .revoked)
        case "CONSUMPTION_REQUEST", "REFUND_DECLINED": before == after
        // Auto-renew is turned off before a billing retry ends, and when the sandbox limit of renewals is reached.
        case "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_DISABLED":
            before == after ? after == .gracePeriod || after == .billingRetry : before == .active && after == .expired
        // A customer can turn on the renewal that follows a commitment while the current period is in billing retry.
        case "DID_CHANGE_RENEWAL_STATUS/AUTO_RENEW_ENABLED": before == .billingRetry && after == .billingRetry
        // A reversed refund can restore a transaction whose grace period, billing retry or period has already ended.
        case "GRACE_PERIOD_EXPIRED": before == .billingRetry && after == .billingRetry
        case "EXPIRED/BILLING_RETRY": isShared && before == .revoked && after == .expired
        case "EXPIRED/VOLUNTARY": before == .expired && after == .expired
        // The refunded period had already ended, or was in billing retry.
        case "REFUND": before == .expired || before == .billingRetry || (before == .revoked && after == .active)
        case "REFUND_REVERSED": before == after || before == .revoked
        case "REVOKE": isShared && before != nil
        // The family member gets access, or gets it back, while the purchase is in its grace period.
        case "SUBSCRIBED/INITIAL_BUY": isShared && before == nil && after == .gracePeriod
        case "SUBSCRIBED/RESUBSCRIBE": before == .gracePeriod || (isShared && after == .gracePeriod)
        default: false
        }
    }
}
