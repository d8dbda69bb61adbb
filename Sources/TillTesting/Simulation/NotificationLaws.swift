import TillCore

/// What is true of all notifications together: a server that reads only them knows every status.
struct NotificationLaws {
    private var statuses: [TransactionID: SubscriptionStatus] = [:]
    private var latest: [TransactionID: TransactionID] = [:]
    private var infos: [TransactionID: RenewalInfo] = [:]
    /// The revocation that the last notification of each transaction showed.
    private var revocations: [TransactionID: Revocation?] = [:]
    private(set) var broken: [String] = []

    private mutating func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { broken.append(sentence()) }
    }

    /// Reads notifications in the order in which they came about.
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

    /// Whether a notification is of a new transaction, which is the latest from then on.
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

    /// A refund of the latest transaction revokes, its reversal ends that, and of any other neither changes a status.
    private mutating func checkRefund(
        _ notification: Notification,
        _ status: SubscriptionStatus,
        before: SubscriptionStatus,
        isLatest: Bool,
        _ what: String
    ) {
        switch (notification.type, isLatest) {
        case (.refund, true): expect(status == .revoked, "\(what) is of the latest transaction and leaves \(status)")
        case (.refundReversed, true): expect(status != .revoked, "\(what) leaves the subscription revoked")
        case (.refund, false), (.refundReversed, false):
            expect(status == before, "\(what) is of an earlier transaction and makes \(before) \(status)")
        case (.revoke, _): expect(status == .revoked, "\(what) leaves \(status)")
        default: break
        }
    }

    /// Before a voluntary expiration a notification said that auto-renewal is off.
    private mutating func checkAutoRenewal(_ notification: Notification, before: RenewalInfo?, _ what: String) {
        guard notification.type == .expired, notification.subtype == .voluntary else { return }
        let isOff = before?.autoRenews == false || before?.commitment?.autoRenews == false
        expect(isOff, "\(what) ends what was going to renew")
    }

    /// A mass extension is answered for every subscription that it concerns.
    ///
    /// - Parameters:
    ///   - before: the world as it was.
    ///   - notifications: what followed.
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
                    "\(account.customer): nothing was notified of the mass extension of \(wanted.productID)"
                )
            }
        }
    }

    /// Renewal info agrees with the status, key by key.
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
            expect(info.renewalDate == row.expiresDate, "\(what) names another end than its transaction")
            expect(
                (row.revocation != nil) == (status == .revoked),
                "\(what) is \(status) otherwise than its transaction"
            )
        }
        let isShared = row.ownership == .familyShared
        expect((info.renewalPrice != nil) == (info.autoRenews && !isShared), "\(what) has a price too many or too few")
        if isShared {
            expect(info.offer == nil && info.priceIncreaseStatus == nil, "\(what) offers a member something")
        }
        expect(
            (info.commitment != nil) == (isLatest ? row.commitment != nil : info.commitment != nil),
            "\(what) is bound"
        )
        switch status {
        case .active, .revoked:
            expect(info.expirationIntent == nil && info.isInBillingRetry == nil, "\(what) has a reason to end")
            expect(info.graceUntil == nil, "\(what) has a grace period")
        case .expired:
            expect(
                info.expirationIntent != nil && info.isInBillingRetry == false,
                "\(what) has no reason to have ended"
            )
            expect(!info.autoRenews, "\(what) has expired and renews")
            expect(info.graceUntil == nil || info.expirationIntent == .billing, "\(what) was in no grace")
        case .billingRetry, .gracePeriod:
            expect(info.expirationIntent == .billing && info.isInBillingRetry == true, "\(what) is not retried")
        }
        if status == .gracePeriod { expect(info.graceUntil != nil, "\(what) has a grace period without an end") }
        if status != .expired { expect(info.winBackOffers.isEmpty, "\(what) wins back who did not leave") }
    }

    /// Compares what was notified with what there is.
    ///
    /// - Parameter deeply: whether to look for every transaction.
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
                    "\(what) has another latest transaction than was notified"
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
                expect(false, "\(what) is named by no notification")
                continue
            }
            expect(notified == row.revocation, "\(what) is revoked, or not, as was not notified")
        }
    }

    /// What a customer chose, or was asked for, was notified when it changed. Prices and win-back offers follow the
    /// catalog and the time.
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
        expect(info.autoRenewProductID == notified.autoRenewProductID, "\(what) continues as was not notified")
        expect(info.autoRenews == notified.autoRenews, "\(what) renews, or not, as was not notified")
        expect(info.renewalDate == notified.renewalDate, "\(what) ends when was not notified")
        expect(info.offer == notified.offer, "\(what) has an offer that was not notified")
        expect(info.priceIncreaseStatus == notified.priceIncreaseStatus, "\(what) has a price that was not notified")
        expect(info.commitment?.autoRenews == notified.commitment?.autoRenews, "\(what) is bound as was not notified")
    }

    /// What was found since the last time.
    mutating func takeFindings() -> [String] {
        defer { broken = [] }
        return broken
    }
}
