import TillCore

/// Checks that a server that reads only notifications knows every status of every subscription.
struct NotificationLaws {
    private var statuses: [TransactionID: SubscriptionStatus] = [:]
    private var latest: [TransactionID: TransactionID] = [:]
    private var infos: [TransactionID: RenewalInfo] = [:]
    /// The revocation that the last notification of each transaction reported.
    private var revocations: [TransactionID: Revocation?] = [:]
    private(set) var broken: [String] = []

    private mutating func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { broken.append(sentence()) }
    }

    /// Reads the notifications, oldest first.
    mutating func read(_ notifications: some Sequence<Notification>) {
        for notification in notifications {
            revocations[notification.transaction.id] = .some(notification.transaction.revocation)
            guard let status = notification.status, let info = notification.renewalInfo else { continue }
            let original = notification.transaction.originalID
            let what = "\(notification.words) of \(original.number) at \(notification.date.iso8601)"
            let isLatest = begins(notification, original) || latest[original] == notification.transaction.id
            expect(latest[original] != nil, "\(what) comes before any transaction was notified")
            if let before = statuses[original] {
                checkRefund(notification, status, before: before, isLatest: isLatest, what)
            }
            check(info, status, notification, isLatest: isLatest, what)
            checkAutoRenewal(notification, before: infos[original], what)
            statuses[original] = status
            infos[original] = info
        }
    }

    /// Whether a notification reports a new transaction of the subscription, which is then the latest.
    private mutating func begins(_ notification: Notification, _ original: TransactionID) -> Bool {
        let isNew =
            switch notification.type {
            case .subscribed, .didRenew: true
            case .didChangeRenewalPref, .offerRedeemed: notification.subtype == .upgrade
            default: false
            }
        if isNew { latest[original] = notification.transaction.id }
        return isNew
    }

    /// Checks that a refund of the latest transaction revokes the subscription, and that its reversal ends the
    /// revocation. A refund of an earlier transaction must not change the status.
    private mutating func checkRefund(
        _ notification: Notification,
        _ status: SubscriptionStatus,
        before: SubscriptionStatus,
        isLatest: Bool,
        _ what: String
    ) {
        switch (notification.type, isLatest) {
        case (.refund, true):
            expect(status == .revoked, "\(what) is about the latest transaction, but the status is \(status)")
        case (.refundReversed, true): expect(status != .revoked, "\(what) does not end the revocation")
        case (.refund, false), (.refundReversed, false):
            expect(
                status == before,
                "\(what) is about an earlier transaction and changes the status from \(before) to \(status)"
            )
        case (.revoke, _): expect(status == .revoked, "\(what) leads to the status \(status)")
        default: break
        }
    }

    /// Checks that an earlier notification reported auto-renew as off before the subscription expires voluntarily.
    private mutating func checkAutoRenewal(_ notification: Notification, before: RenewalInfo?, _ what: String) {
        guard notification.type == .expired, notification.subtype == .voluntary else { return }
        let isOff = before?.autoRenews == false || before?.commitment?.autoRenews == false
        expect(isOff, "\(what) ends a subscription with auto-renewal on")
    }

    /// Checks that a mass extension sends a notification for every subscription that it affects.
    ///
    /// - Parameters:
    ///   - before: The state before the mass extension.
    ///   - notifications: The notifications that the mass extension sent.
    mutating func check(_ wanted: MassExtension, before: Observation, _ notifications: some Sequence<Notification>) {
        let answered = notifications.filter { $0.type == .renewalExtended || $0.type == .renewalExtension }
            .map(\.transaction.originalID)
        for account in before.accounts.values.sorted(by: { $0.id < $1.id }) {
            for subscription in account.subscriptions
            where subscription.status == .active && subscription.latestTransaction.productID == wanted.productID {
                let storefront = subscription.latestTransaction.storefront.code
                guard wanted.storefronts?.contains(storefront) != false else { continue }
                expect(
                    answered.contains(subscription.originalID),
                    "\(account.customer): no notification of the mass extension of \(wanted.productID)"
                )
            }
        }
    }

    /// Checks that each field of the renewal info agrees with the status.
    private mutating func check(
        _ info: RenewalInfo,
        _ status: SubscriptionStatus,
        _ notification: Notification,
        isLatest: Bool,
        _ what: String
    ) {
        let row = notification.transaction
        if isLatest {
            expect(info.productID == row.productID, "\(what) names another product than its transaction")
            expect(info.renewalDate == row.expiresDate, "\(what) has another end than its transaction")
            expect(
                (row.revocation != nil) == (status == .revoked),
                "\(what) has status \(status), unlike its transaction"
            )
        }
        let isShared = row.ownership == .familyShared
        expect(
            (info.renewalPrice != nil) == (info.autoRenews && !isShared),
            "\(what) has a renewal price that it should not have, or lacks one"
        )
        if isShared {
            expect(info.offer == nil && info.priceIncreaseStatus == nil, "\(what) has an offer for a family member")
        }
        expect(
            (info.commitment != nil) == (isLatest ? row.commitment != nil : info.commitment != nil),
            "\(what) lacks the commitment, or has one too many"
        )
        switch status {
        case .active, .revoked:
            expect(
                info.expirationIntent == nil && info.isInBillingRetry == nil,
                "\(what) has an expiration intent although active"
            )
            expect(info.graceUntil == nil, "\(what) has a grace period")
        case .expired:
            expect(
                info.expirationIntent != nil && info.isInBillingRetry == false,
                "\(what) is expired without an expiration intent"
            )
            expect(!info.autoRenews, "\(what) has expired and renews")
            expect(
                info.graceUntil == nil || info.expirationIntent == .billing,
                "\(what) has a grace period without a billing problem"
            )
        case .billingRetry, .gracePeriod:
            expect(
                info.expirationIntent == .billing && info.isInBillingRetry == true,
                "\(what) is not in billing retry"
            )
        }
        if status == .gracePeriod { expect(info.graceUntil != nil, "\(what) has a grace period without an end") }
        if status != .expired {
            expect(info.winBackOffers.isEmpty, "\(what) has win-back offers for an active subscription")
        }
    }

    /// Compares the statuses according to the notifications with the actual state.
    ///
    /// - Parameter deeply: Whether every transaction is checked, too.
    mutating func compare(with observation: Observation, deeply: Bool) {
        for account in observation.accounts.values.sorted(by: { $0.id < $1.id }) {
            for subscription in account.heldSubscriptions {
                let notified = statuses[subscription.originalID]
                let what = "\(account.customer): subscription to \(subscription.latestTransaction.productID)"
                expect(
                    notified == subscription.status,
                    "\(what) is \(subscription.status), and \(notified.map { "\($0)" } ?? "nothing") was notified"
                )
                expect(
                    latest[subscription.originalID] == subscription.latestTransaction.id,
                    "\(what) has another latest transaction than the last notification"
                )
            }
        }
        for account in observation.accounts.values.sorted(by: { $0.id < $1.id }) {
            for subscription in account.subscriptions { compare(subscription, of: account, observation) }
        }
        guard deeply else { return }
        for row in observation.rows.values.sorted(by: { $0.id < $1.id }) {
            let what = "transaction \(row.id.number), \(row.productID),"
            guard let notified = revocations[row.id] else {
                expect(false, "\(what) has no notification")
                continue
            }
            expect(notified == row.revocation, "\(what) has a revocation state that was not notified")
        }
    }

    /// Checks that a notification reported every change of the customer's choices or consent. Prices and win-back
    /// offers are not compared: they change with the catalog and with time, without a notification.
    private mutating func compare(_ subscription: Subscription, of account: Account, _ observation: Observation) {
        guard let notified = infos[subscription.originalID] else { return }
        let info = RenewalInfo(
            of: subscription,
            held: account,
            at: observation.now,
            catalog: observation.catalog,
            policy: observation.policy
        )
        let what = "\(account.customer): subscription to \(subscription.latestTransaction.productID)"
        expect(
            info.autoRenewProductID == notified.autoRenewProductID,
            "\(what) has a next product that was not notified"
        )
        expect(info.autoRenews == notified.autoRenews, "\(what) has an auto-renewal state that was not notified")
        expect(info.renewalDate == notified.renewalDate, "\(what) has a renewal date that was not notified")
        expect(info.offer == notified.offer, "\(what) has an offer that was not notified")
        expect(
            info.priceIncreaseStatus == notified.priceIncreaseStatus,
            "\(what) has a price increase status that was not notified"
        )
        expect(
            info.commitment?.autoRenews == notified.commitment?.autoRenews,
            "\(what) has a commitment renewal that was not notified"
        )
    }

    /// Returns the findings since the last call.
    mutating func takeFindings() -> [String] {
        defer { broken = [] }
        return broken
    }
}
