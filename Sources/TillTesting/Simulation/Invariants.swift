import TillCore

/// What is true of every shop at every instant at which nobody acts.
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

    /// What is not as it must be: a sentence each.
    ///
    /// - Parameter deeply: whether to look at every row, rather than at the accounts only.
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
        let who = account.customer
        expect(account.lastEvent <= now, "\(who): the last event lies in the future")
        if let due = ledger.nextDue(of: account) {
            expect(due > now, "\(who): something was due at \(due.iso8601) and did not happen by \(now.iso8601)")
        }
        let family = (account.family?.members ?? [account.id]).compactMap { byID[$0] }
        if let damaged = Ledger.damage(in: family) { expect(false, "\(who): \(damaged)") }
        let groups = account.subscriptions.filter { $0.ownership == .purchased }.map(\.groupID)
        expect(Set(groups).count == groups.count, "\(who): two subscriptions of one's own in a group")
        for subscription in account.subscriptions { check(subscription, of: account) }
        checkFamily(of: account)
    }

    private mutating func check(_ subscription: Subscription, of account: Account) {
        let now = observation.now
        let what = "\(account.customer): subscription to \(subscription.latestTransaction.productID)"
        let current = subscription.latestTransaction
        expect(observation.rows[current.id] == current, "\(what) differs from its row")
        if let running = subscription.runningAhead(before: now) {
            expect(observation.rows[running.id] == running, "\(what) differs from the row that runs")
            expect(running.expiresDate == current.purchaseDate, "\(what) leaves a gap before what was charged ahead")
        }
        expect(subscription.paidService >= 0, "\(what) has paid for less than nothing")
        expect(subscription.recentStart <= current.purchaseDate, "\(what) began after its latest period")
        if subscription.ended != nil {
            expect(subscription.renewalDate <= now, "\(what) ended before its period did")
            expect(!subscription.autoRenews, "\(what) ended and renews")
        }
        guard subscription.ownership == .purchased else { return }
        let status = subscription.status(at: now)
        if current.revocation == nil, subscription.trouble == nil, subscription.ended == nil {
            expect(status != .expired, "\(what) is over, and nobody said so")
        }
        if let trouble = subscription.trouble, subscription.ended == nil, current.revocation == nil {
            expect(subscription.renewalDate <= now, "\(what) has trouble before its period is over")
            expect(trouble.retryUntil > now, "\(what) is retried for ever")
        }
    }

    // MARK: The family

    private mutating func checkFamily(of account: Account) {
        for copy in account.subscriptions where copy.ownership == .familyShared && isLive(copy) {
            checkCopy(copy, of: account)
        }
        guard let family = account.family else { return }
        expect(family.members.contains(account.id), "\(account.customer) is not in the own family")
        for member in family.members.compactMap({ byID[$0] }) where member.id != account.id {
            expect(member.family == family, "\(account.customer) and \(member.customer) disagree about their family")
            expect(member.clock == account.clock, "\(account.customer) and \(member.customer) live by two clocks")
            for subscription in account.subscriptions { checkSharing(subscription, of: account, with: member) }
            for holding in account.holdings { checkSharing(holding, of: account, with: member) }
        }
    }

    private func isLive(_ copy: Subscription) -> Bool { copy.latestTransaction.revocation == nil && copy.ended == nil }

    private mutating func checkCopy(_ copy: Subscription, of member: Account) {
        let what = "\(member.customer): copy of \(copy.latestTransaction.productID)"
        guard let owner = copy.sharedFrom.flatMap({ byID[$0] }), let source = owner.subscription(toGroup: copy.groupID)
        else { return expect(false, "\(what) has no purchaser") }
        guard member.family?.members.contains(owner.id) == true else {
            return expect(false, "\(what) outlives the family")
        }
        let now = observation.now
        expect(
            copy.latestTransaction.sharedFrom == source.latestTransaction.id,
            "\(what) is not of the purchaser's latest row"
        )
        expect(copy.latestTransaction.productID == source.latestTransaction.productID, "\(what) is of another product")
        expect(
            copy.latestTransaction.expiresDate == source.latestTransaction.expiresDate,
            "\(what) ends at another time"
        )
        expect(copy.autoRenews == source.autoRenews, "\(what) renews otherwise than the purchase")
        expect(copy.nextProductID == source.nextProductID, "\(what) goes on as another product")
        expect(copy.trouble == source.trouble, "\(what) has other trouble than the purchase")
        let statuses = (copy.status(at: now), source.status(at: now))
        expect(statuses.0 == statuses.1, "\(what) is \(statuses.0), the purchase \(statuses.1)")
        expect(source.isShared, "\(what) is not shared any more")
    }

    private mutating func checkSharing(_ subscription: Subscription, of owner: Account, with member: Account) {
        let status = subscription.status(at: observation.now)
        guard
            subscription.ownership == .purchased, subscription.isShared, status == .active || status == .gracePeriod,
            observation.catalog.products[subscription.latestTransaction.productID]?.isFamilyShareable == true
        else { return }
        let copy = member.copy(ofGroup: subscription.groupID, sharedBy: owner.id)
        let what = "\(owner.customer): \(subscription.latestTransaction.productID)"
        // Of what was charged ahead and refunded, the running period is left to both.
        let has = copy?.status(at: observation.now) == status
        expect(has, "\(what) is shared, and \(member.customer) has nothing of it")
    }

    private mutating func checkSharing(_ holding: Holding, of owner: Account, with member: Account) {
        guard holding.ownership == .purchased else { return }
        let copy = member.holdings.first { $0.source == holding.transaction }
        let isShared =
            holding.isShared && !holding.isRevoked
            && observation.catalog.products[holding.productID]?.isFamilyShareable == true
        let has = copy.map { !$0.isRevoked } ?? false
        expect(has == isShared, "\(owner.customer): \(holding.productID) is shared otherwise with \(member.customer)")
    }

    // MARK: The rows

    private mutating func checkRows() {
        for row in observation.rows.values { rows[row.account, default: []].append(row) }
        for account in observation.accounts.values.sorted(by: { $0.id < $1.id }) {
            let own = rows[account.id] ?? []
            let who = account.customer
            expect(Int64(own.count) == account.rowCount, "\(who) has \(own.count) rows and counts \(account.rowCount)")
            expect(Set(own.map(\.change)).count == own.count, "\(who): two rows in one place of the history")
            expect(own.allSatisfy { $0.change <= account.changeNumber }, "\(who): a row from the future")
            let refunds = own.compactMap(\.refundNumber)
            expect(Set(refunds).count == refunds.count, "\(who): two refunds in one place")
            expect(refunds.allSatisfy { $0 <= account.refundNumber }, "\(who): a refund from the future")
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
        expect(row.purchaseDate.wholeSecond == row.purchaseDate, "\(what) begins within a second")
        expect(row.modifiedDate <= observation.now, "\(what) was changed in the future")
        let isRefund = row.revocation.map { $0.kind != .familyRevoke } ?? false
        expect(
            isRefund == (row.refundNumber != nil),
            "\(what) is refunded without a number, or numbered without refund"
        )
        expect((row.ownership == .familyShared) == (row.sharedFrom != nil), "\(what) is a copy of nothing")
        expect((row.price == nil) == (row.ownership == .familyShared), "\(what) costs what it must not")
    }

    private mutating func checkRun(_ run: [Transaction], of account: Account) {
        for (previous, next) in zip(run, run.dropFirst()) where next.reason == .renewal {
            let what = "\(account.customer): renewal of \(next.productID) at \(next.purchaseDate.iso8601)"
            guard let end = previous.expiresDate else { continue }
            expect(next.purchaseDate >= end, "\(what) begins before the last period ended, at \(end.iso8601)")
        }
        guard let first = run.first else { return }
        for row in run {
            expect(row.originalPurchaseDate == first.originalPurchaseDate, "\(account.customer): two original dates")
            expect(row.ownership == first.ownership, "\(account.customer): bought and shared under one original id")
        }
    }

    private mutating func checkNotifications(_ told: [Notification], of account: Account) {
        let ordered = told.sorted { $0.number < $1.number }
        let counted = ordered.indices.map { Int64($0 + 1) }
        expect(ordered.map(\.number) == counted, "\(account.customer): a gap between notifications")
        for (earlier, later) in zip(ordered, ordered.dropFirst()) {
            expect(earlier.signedDate < later.signedDate, "\(account.customer): signed out of order")
        }
        expect(account.lastSigned == ordered.last?.signedDate, "\(account.customer): another last signature")
        expect(
            account.notificationNumber == Int64(ordered.count),
            "\(account.customer): another number of notifications"
        )
        for notification in ordered {
            let isKnown = notification.type.subtypes.contains(notification.subtype)
            expect(isKnown, "\(account.customer): \(notification.words) is not in the table")
            let info = notification.renewalInfo
            expect((info == nil) == (notification.transaction.groupID == nil), "\(notification.words) says too little")
        }
    }
}

extension Subscription {
    /// The row whose period still runs although the next has been charged.
    fileprivate func runningAhead(before now: Timestamp) -> Transaction? {
        now < current.purchaseDate ? running : nil
    }
}
