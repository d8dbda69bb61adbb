/// The accounts and rows that one command concerns, and what the rules decide over them.
///
/// A value: the shop fills it, lets one command act on it, and commits what it then holds. The rules never call
/// anybody; each idea of the store is an extension in a file of its own (Purchase, PlanChange, Refund, Family).
package struct Ledger: Sendable {
    /// What the app sells at this moment; rows that were sold earlier keep their own prices.
    package let catalog: Catalog
    /// The choices of the accounts' environment under the shop's settings.
    package let policy: Policy
    /// The shop's time: the instant that is being decided, on its way to `until`.
    package private(set) var now: Timestamp
    /// The instant of the command, up to which time passes first.
    package let until: Timestamp
    /// The accounts, as they will be committed.
    package private(set) var accounts: [AccountID: Account]
    /// Rows that were handed in or made.
    package private(set) var rows: [TransactionID: Transaction]
    /// What must be written, in the order in which it came about.
    package private(set) var rowChanges: [RowChange]
    /// Codes whose limit must be guarded across all customers.
    package private(set) var redemptions: [CodeRedemption]
    /// What happened, in order.
    package private(set) var events: [Event]
    /// What the developer's server is to be told, in order.
    package private(set) var notifications: [Notification]
    /// What the command's purchase led to; nil when the command was no purchase.
    package internal(set) var purchaseResult: PurchaseResult?
    /// What the rules take new ids from; the rest is thrown away with the ledger.
    package var identifiers: Identifiers

    /// What a subscription becomes when something happens to it.
    let rule: Transitions.Rule

    /// - Parameters:
    ///   - accounts: the account that acts, and its family.
    ///   - rows: what `Command.rows(from:)` named, where it exists.
    ///   - identifiers: at least as many as `Command.mostIdentifiers(for:)` says.
    package init(
        accounts: [Account],
        rows: [Transaction] = [],
        catalog: Catalog,
        policy: Policy,
        identifiers: Identifiers,
        at now: Timestamp,
        rule: @escaping Transitions.Rule = Transitions.steps
    ) {
        self.rule = rule
        self.accounts = Dictionary(uniqueKeysWithValues: accounts.map { ($0.id, $0) })
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        self.catalog = catalog
        self.policy = policy
        self.identifiers = identifiers
        self.now = now
        until = now
        rowChanges = []
        redemptions = []
        events = []
        notifications = []
    }

    // MARK: The passing of time

    /// Lets time pass up to the instant of the command: what falls due before is decided in the order in which it falls
    /// due, each at its own instant.
    ///
    /// - Parameter steps: how many deadlines are handled at the most.
    /// - Returns: whether all were; otherwise what was decided so far can be committed, and the rest done next.
    package mutating func catchUp(atMost steps: Int = .max) -> Bool {
        var left = steps
        while let deadline = nextDeadline, deadline.instant <= until {
            guard left > 0 else { return false }
            left -= 1
            let family = self[deadline.account].family?.members ?? [deadline.account]
            let latest = family.compactMap { accounts[$0]?.lastEvent }.max() ?? deadline.instant
            now = max(deadline.instant, latest)
            handle(deadline)
        }
        now = until
        return true
    }

    /// Whether something fell due that has not been decided.
    package var isBehind: Bool { nextDeadline.map { $0.instant <= until } ?? false }

    /// The earliest of what will happen by itself in these accounts.
    private var nextDeadline: Deadline? {
        accounts.values.compactMap { self.deadline(of: $0) }.min()
    }

    /// Deadlines that an act may set free and that are handled with it.
    static let mostFreedAtOnce = 8

    // MARK: Commands

    /// Lets an account do something, at the instant of the ledger. All that fell due before must have been handled.
    /// On a refusal the ledger is worth nothing and is thrown away.
    package mutating func perform(_ command: Command, by id: AccountID) throws(Refusal) {
        for account in accounts.values where now < account.lastEvent {
            throw .earlierThanLastEvent(at: now, last: account.lastEvent)
        }
        switch command {
        case .purchase(let purchase): try buy(purchase, by: id)
        case .finish(let transaction): try finish(transaction)
        case .setAppAccountToken(let transaction, let token): try setAppAccountToken(token, on: transaction)
        case .joinFamily(let other, let name): try join(id, familyOf: other, named: name)
        case .leaveFamily: try leaveFamily(id)
        case .shareWithFamily(let original, let shares): try setSharing(of: original, to: shares)
        case .downloadApp(let download): downloadApp(download, by: id)
        case .turnAutoRenewOff(let original): try turnAutoRenewOff(original, by: id)
        case .turnAutoRenewOn(let original): try turnAutoRenewOn(original, by: id)
        case .useCard(let card): useCard(card, by: id)
        case .setAskToBuy(let asks): setAskToBuy(asks, by: id)
        case .decideHeldPurchase(let number, let approved):
            try decideHeldPurchase(number, approved: approved, by: id)
        case .acceptPriceIncrease(let original): try acceptPriceIncrease(original, by: id)
        case .declinePriceIncrease(let original): try declinePriceIncrease(original, by: id)
        case .requestRefund(let transaction, let reason): try requestRefund(of: transaction, because: reason)
        case .reportConsumption(let transaction, let report): try take(report, on: transaction)
        case .refund(let refund): try grant(refund)
        case .declineRefund(let transaction): try declineRefund(of: transaction)
        case .reverseRefund(let transaction): try reverseRefund(of: transaction)
        case .extend(let wanted): try extend(wanted, by: id)
        case .job(let job): perform(job, by: id)
        case .useClock(let clock): useClock(clock, by: id)
        case .processDue: break
        }
        // What the act set free is due at once: a charge that waited for a card, or for consent.
        // More than this waits for whoever wakes the account next.
        _ = catchUp(atMost: Ledger.mostFreedAtOnce)
    }

    // MARK: What the rules write with

    /// The account as it stands.
    subscript(_ id: AccountID) -> Account {
        get {
            guard let account = accounts[id] else {
                preconditionFailure("account \(id.number) was not loaded for this command")
            }
            return account
        }
        _modify {
            guard let place = accounts.index(forKey: id) else {
                preconditionFailure("account \(id.number) was not loaded for this command")
            }
            yield &accounts.values[place]
        }
    }

    /// A row that the command named.
    func row(_ id: TransactionID) throws(Refusal) -> Transaction {
        guard let row = rows[id] else { throw .unknownTransaction(id) }
        return row
    }

    /// A subscription of an account's own, by its original transaction.
    func subscription(_ original: TransactionID, of id: AccountID) throws(Refusal) -> Subscription {
        if let subscription = self[id].subscription(original) { return subscription }
        throw self[id].sharedSubscription(original) == nil ? .unknownSubscription(original) : .familyShared(original)
    }

    /// Enters a new row at the end of its account's history and gives it back with its place.
    mutating func enter(_ transaction: Transaction) -> Transaction {
        var row = transaction
        row.change = nextChange(of: row.account)
        row.modifiedDate = now
        self[row.account].rowCount += 1
        rows[row.id] = row
        rowChanges.append(RowChange(before: nil, after: row))
        return row
    }

    /// Enters a new period of a subscription.
    mutating func enter(_ transaction: Transaction, until end: Timestamp) -> SubscriptionPeriod {
        var row = transaction
        row.expiresDate = end
        return SubscriptionPeriod(enter(row), until: end)
    }

    /// Changes a row. Its place in the history moves to the end, unless the change shows in no payload.
    @discardableResult
    mutating func amend(
        _ row: Transaction,
        movesHistory: Bool = true,
        _ change: (inout Transaction) -> Void
    ) -> Transaction {
        var amended = row
        change(&amended)
        if movesHistory {
            amended.change = nextChange(of: row.account)
            amended.modifiedDate = now
        }
        rows[row.id] = amended
        if let place = rowChanges.lastIndex(where: { $0.after.id == row.id }) {
            rowChanges[place].after = amended
        } else {
            rowChanges.append(RowChange(before: row.change, after: amended))
        }
        refresh(amended)
        return amended
    }

    /// Notes what happened, and what the developer's server is notified of. Accounts and rows must be as the
    /// notification says.
    ///
    /// - Parameter isSilent: whether nobody is notified.
    mutating func note(_ event: Event, isSilent: Bool = false) {
        events.append(event)
        guard let id = event.transaction else { return }
        guard let row = present(id) else { preconditionFailure("\(event) is about a row that was not loaded") }
        self[row.account].lastEvent = max(self[row.account].lastEvent, now)
        guard !isSilent, let notice = event.notice else { return }
        notifications.append(notification(notice, of: event, about: row))
    }

    /// Moves an account's last event to the present.
    mutating func touch(_ id: AccountID) {
        self[id].lastEvent = max(self[id].lastEvent, now)
    }

    private mutating func notification(_ notice: Notice, of event: Event, about row: Transaction) -> Notification {
        var account = self[row.account]
        account.notificationNumber += 1
        let earliest = account.lastSigned.map { $0.advanced(milliseconds: 1) } ?? now
        let signedDate = max(now, earliest)
        account.lastSigned = signedDate
        self[row.account] = account
        // Found by their own types: a box around either would be a copy for each notification.
        let own = row.ownership == .purchased ? account.subscription(row.originalID) : nil
        let shared = row.ownership == .familyShared ? account.sharedSubscription(row.originalID) : nil
        var reason: ConsumptionRequestReason?
        if case .refundRequested(_, let given, _) = event { reason = given }
        return Notification(
            consumptionRequestReason: reason,
            type: notice.type,
            subtype: notice.subtype,
            account: account.id,
            number: account.notificationNumber,
            transaction: row,
            renewalInfo: own.map { info(of: $0, account) } ?? shared.map { info(of: $0, account) },
            status: own?.status ?? shared?.status,
            date: now,
            signedDate: signedDate
        )
    }

    private func info(of subscription: some HeldSubscription, _ account: Account) -> RenewalInfo {
        RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy)
    }

    /// A row as it stands, wherever the ledger holds it.
    private func present(_ id: TransactionID) -> Transaction? {
        if let row = rows[id] { return row }
        for account in accounts.values {
            for subscription in account.heldSubscriptions {
                if let period = subscription.state.periods.first(where: { $0.id == id }) { return period.transaction }
            }
        }
        return nil
    }

    /// Claims one redemption of a code whose number is limited.
    mutating func claim(_ redemption: CodeRedemption) {
        redemptions.append(redemption)
    }

    /// Takes the next change number of an account.
    private mutating func nextChange(of id: AccountID) -> Int64 {
        self[id].changeNumber += 1
        self[id].lastEvent = max(self[id].lastEvent, now)
        return self[id].changeNumber
    }

    /// A subscription's state has its transactions; they must not fall behind the ledger.
    private mutating func refresh(_ row: Transaction) {
        guard row.groupID != nil else { return }
        func refreshed(_ state: SubscriptionState) -> SubscriptionState {
            state.contains(row.id) ? state.map { $0.id == row.id ? row : $0 } : state
        }
        if var subscription = self[row.account].subscription(row.originalID) {
            subscription.state = refreshed(subscription.state)
            self[row.account].put(subscription)
        } else if var copy = self[row.account].sharedSubscription(row.originalID) {
            copy.state = refreshed(copy.state)
            self[row.account].put(copy)
        }
    }
}

/// A row to write.
package struct RowChange: Equatable, Sendable {
    /// The change number under which the row lies now; nil for a new row.
    package let before: Int64?
    /// The row in its new form; a change that shows in no payload keeps the change number.
    package var after: Transaction

    /// A row to write in the place of what lies under `before`.
    package init(before: Int64?, after: Transaction) {
        self.before = before
        self.after = after
    }
}

/// One redemption of a code whose number over all customers is limited.
package struct CodeRedemption: Equatable, Sendable {
    /// The bundle identifier.
    package let app: String
    /// Each environment counts for itself.
    package let environment: StoreEnvironment
    /// Part of the name: two products may have offers of one identifier.
    package let productID: String
    /// `offerIdentifier` on the wire.
    package let offerID: String
    /// How many redemptions the catalogue allows; the engine refuses the one after.
    package let limit: Int

    /// One redemption, to be counted against the limit.
    package init(app: String, environment: StoreEnvironment, productID: String, offerID: String, limit: Int) {
        self.app = app
        self.environment = environment
        self.productID = productID
        self.offerID = offerID
        self.limit = limit
    }
}
