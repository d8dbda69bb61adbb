import TillCore

/// The conditions that every shop satisfies between two operations.
struct Invariants {
    private let observation: Observation
    private let ledger: Ledger
    private var rows: [AccountID: [Transaction]] = [:]
    private var byID: [AccountID: Account] = [:]
    private var broken: [String] = []

    private init(_ observation: Observation) {
        self.observation = observation
        ledger = Ledger(
            accounts: [],
            catalog: observation.catalog,
            policy: observation.policy,
            identifiers: Identifiers(reserved: 0..<0),
            at: observation.now
        )
        for account in observation.accounts.values { byID[account.id] = account }
    }

    /// The violated conditions, one sentence each.
    ///
    /// - Parameter deeply: Whether every transaction is checked, or only the accounts.
    static func findings(in observation: Observation, deeply: Bool) -> [String] {
        var invariants = Invariants(observation)
        invariants.broken = observation.complaints
        for (_, account) in observation.accounts.sorted(by: { $0.key < $1.key }) { invariants.check(account) }
        if deeply { invariants.checkRows() }
        return invariants.broken
    }

    private mutating func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) {
        if !holds { broken.append(sentence()) }
    }

    // MARK: The account

    private mutating func check(_ account: Account) {
        let now = observation.now
        let customer = account.customer
        expect(account.lastEvent <= now, "\(customer): the last event is in the future")
        if let due = ledger.nextDue(of: account) {
            expect(due > now, "\(customer): an event was due at \(due.iso8601) and had not happened by \(now.iso8601)")
        }
        let family = (account.family?.members ?? [account.id]).compactMap { byID[$0] }
        if let damaged = Ledger.damage(in: family) { expect(false, "\(customer): \(damaged)") }
        for subscription in account.subscriptions { check(subscription, of: account) }
        for copy in account.sharedSubscriptions { check(copy, of: account) }
        checkFamily(of: account)
    }

    private mutating func check(_ subscription: some HeldSubscription, of account: Account) {
        let now = observation.now
        let what = "\(account.customer): subscription to \(subscription.latestTransaction.productID)"
        let latest = subscription.state.latest
        expect(observation.rows[latest.id] == latest.transaction, "\(what) differs from its latest row")
        if now < latest.start, let previous = subscription.state.previous {
            expect(observation.rows[previous.id] == previous.transaction, "\(what) differs from the current row")
            expect(previous.end == latest.start, "\(what) leaves a gap before the period charged ahead")
        }
        expect(subscription.recentStart <= latest.start, "\(what) began after its latest period")
        expect(latest.isRevoked == (subscription.status == .revoked), "\(what) and its row differ in revocation")
        switch subscription.state {
        case .active: break
        case .gracePeriod(_, let until, let retryUntil):
            expect(latest.end <= now, "\(what) is in grace before its period is over")
            expect(until <= retryUntil, "\(what) has grace after its last retry")
            expect(subscription.preference.autoRenews, "\(what) is in grace and does not renew")
        case .billingRetry: expect(latest.end <= now, "\(what) is in billing retry before its period is over")
        case .expired:
            expect(latest.end <= now, "\(what) ended before its period did")
            expect(!subscription.preference.autoRenews, "\(what) ended and renews")
        case .revoked: break
        }
        if let bought = subscription.bought {
            expect(bought.paidService >= 0, "\(what) has negative paid service")
        }
    }

    // MARK: The family

    private mutating func checkFamily(of account: Account) {
        for copy in account.sharedSubscriptions where copy.isLive { checkCopy(copy, of: account) }
        guard let family = account.family else { return }
        expect(family.members.contains(account.id), "\(account.customer) is not a member of the customer's own family")
        for member in family.members.compactMap({ byID[$0] }) where member.id != account.id {
            expect(member.family == family, "\(account.customer) and \(member.customer) disagree about their family")
            expect(member.clock == account.clock, "\(account.customer) and \(member.customer) have different clocks")
            for subscription in account.subscriptions { checkSharing(subscription, of: account, with: member) }
            for ownedProduct in account.ownedProducts { checkSharing(ownedProduct, of: account, with: member) }
        }
    }

    private mutating func checkCopy(_ copy: SharedSubscription, of member: Account) {
        let what = "\(member.customer): copy of \(copy.latestTransaction.productID)"
        guard let owner = copy.owner.flatMap({ byID[$0] }), let source = owner.subscription(toGroup: copy.groupID)
        else { return expect(false, "\(what) has no purchaser") }
        guard member.family?.members.contains(owner.id) == true else {
            return expect(false, "\(what) exists outside the family")
        }
        expect(copy.latestTransaction.sharedFrom == source.state.latest.id, "\(what) is not a copy of the latest row")
        expect(copy.latestTransaction.productID == source.latestTransaction.productID, "\(what) has another product")
        expect(copy.renewalDate == source.renewalDate, "\(what) ends at another time")
        expect(copy.preference == source.preference, "\(what) has other renewal preferences than the purchase")
        let projected = source.state.with(latest: copy.state.latest, previous: copy.state.previous)
        expect(copy.state == projected, "\(what) is \(copy.status), the purchase \(source.status)")
        expect(source.isShared, "\(what) is not shared any more")
    }

    private mutating func checkSharing(_ subscription: Subscription, of owner: Account, with member: Account) {
        guard
            subscription.isShared, subscription.state.givesAccess,
            observation.catalog.products[subscription.latestTransaction.productID]?.isFamilyShareable == true
        else { return }
        let copy = member.sharedSubscription(toGroup: subscription.groupID, from: owner.id)
        let what = "\(owner.customer): \(subscription.latestTransaction.productID)"
        expect(
            copy?.status == subscription.status,
            "\(what) is \(subscription.status), and \(member.customer) has \(copy.map { "\($0.status)" } ?? "nothing")"
        )
    }

    private mutating func checkSharing(_ ownedProduct: OwnedProduct, of owner: Account, with member: Account) {
        guard ownedProduct.ownership == .purchased else { return }
        let copy = member.ownedProducts.first { $0.source == ownedProduct.transaction }
        let isShared =
            ownedProduct.isShared && !ownedProduct.isRevoked
            && observation.catalog.products[ownedProduct.productID]?.isFamilyShareable == true
        let has = copy.map { !$0.isRevoked } ?? false
        expect(
            has == isShared,
            "\(owner.customer): \(ownedProduct.productID) is wrongly shared, or not shared, with \(member.customer)"
        )
    }

    // MARK: The transactions

    private mutating func checkRows() {
        for row in observation.rows.values { rows[row.account, default: []].append(row) }
        for account in observation.accounts.values.sorted(by: { $0.id < $1.id }) {
            let own = rows[account.id] ?? []
            let customer = account.customer
            expect(
                Int64(own.count) == account.rowCount,
                "\(customer) has \(own.count) rows and counts \(account.rowCount)"
            )
            expect(Set(own.map(\.change)).count == own.count, "\(customer): two rows with one change number")
            expect(
                own.allSatisfy { $0.change <= account.changeNumber },
                "\(customer): a row with a future change number"
            )
            let refunds = own.compactMap(\.refundNumber)
            expect(Set(refunds).count == refunds.count, "\(customer): two refunds with one number")
            expect(refunds.allSatisfy { $0 <= account.refundNumber }, "\(customer): a refund with a future number")
            for row in own { check(row, of: account) }
            let ordered = own.sorted { Identifiers.counter(of: $0.id) < Identifiers.counter(of: $1.id) }
            for run in Dictionary(grouping: ordered, by: \.originalID).values { checkRun(run, of: account) }
        }
        let notifications = Dictionary(grouping: observation.notifications, by: \.account)
        for account in byID.values.sorted(by: { $0.id < $1.id }) {
            checkNotifications(notifications[account.id] ?? [], of: account)
        }
    }

    private mutating func check(_ row: Transaction, of account: Account) {
        let what = "\(account.customer): \(row.productID) of \(row.purchaseDate.iso8601)"
        if let end = row.expiresDate { expect(end > row.purchaseDate, "\(what) ends before it begins") }
        expect(row.purchaseDate.wholeSecond == row.purchaseDate, "\(what) does not begin on a whole second")
        expect(row.modifiedDate <= observation.now, "\(what) was changed in the future")
        let isRefund = row.revocation.map { $0.kind != .familyRevoke } ?? false
        expect(
            isRefund == (row.refundNumber != nil),
            "\(what) has a refund without a number, or a number without a refund"
        )
        expect(
            (row.ownership == .familyShared) == (row.sharedFrom != nil),
            "\(what) is a copy without a source, or has a source without being a copy"
        )
        expect(
            (row.price == nil) == (row.ownership == .familyShared),
            "\(what) has a price as a copy, or none as a purchase"
        )
    }

    private mutating func checkRun(_ run: [Transaction], of account: Account) {
        for (previous, next) in zip(run, run.dropFirst()) where next.reason == .renewal {
            let what = "\(account.customer): renewal of \(next.productID) at \(next.purchaseDate.iso8601)"
            guard let end = previous.expiresDate else { continue }
            expect(next.purchaseDate >= end, "\(what) begins before the last period ended, at \(end.iso8601)")
        }
        checkPaidTime(run, of: account)
        guard let first = run.first else { return }
        for row in run {
            expect(row.originalPurchaseDate == first.originalPurchaseDate, "\(account.customer): two original dates")
            expect(row.ownership == first.ownership, "\(account.customer): bought and shared under one original id")
        }
    }

    /// Checks that no two paid transactions cover the same time.
    private mutating func checkPaidTime(_ run: [Transaction], of account: Account) {
        let paid = run.filter { $0.revocation == nil && !$0.isUpgraded && ($0.price?.milliunits ?? 0) > 0 }
            .sorted { $0.purchaseDate < $1.purchaseDate }
        for (earlier, later) in zip(paid, paid.dropFirst()) {
            guard let end = earlier.expiresDate else { continue }
            expect(
                end <= later.purchaseDate,
                "\(account.customer): \(earlier.productID) is paid until \(end.iso8601) and "
                    + "\(later.productID) from \(later.purchaseDate.iso8601)"
            )
        }
    }

    private mutating func checkNotifications(_ notifications: [Notification], of account: Account) {
        let ordered = notifications.sorted { $0.number < $1.number }
        let counted = ordered.indices.map { Int64($0 + 1) }
        expect(ordered.map(\.number) == counted, "\(account.customer): a gap between notifications")
        for (earlier, later) in zip(ordered, ordered.dropFirst()) {
            expect(earlier.signedDate < later.signedDate, "\(account.customer): signed out of order")
        }
        expect(account.lastSigned == ordered.last?.signedDate, "\(account.customer): the last signature date differs")
        expect(
            account.notificationNumber == Int64(ordered.count),
            "\(account.customer): the number of notifications differs"
        )
        for notification in ordered {
            let isKnown = notification.type.subtypes.contains(notification.subtype)
            expect(isKnown, "\(account.customer): \(notification.words) is not in the table")
            let info = notification.renewalInfo
            expect(
                (info == nil) == (notification.transaction.groupID == nil),
                "\(notification.words) lacks renewal info, or has it without a subscription"
            )
        }
    }
}
