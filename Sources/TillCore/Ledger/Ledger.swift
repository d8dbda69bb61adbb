/// The accounts and rows that one command affects, and the rules' decisions about them.
///
/// A value: the shop fills it, performs one command and commits the result. The rules have no side effects; each area
/// of the store is an extension in its own file (Purchase, PlanChange, Refund, Family).
package struct Ledger: Sendable {
    /// What the app sells now; past sales keep their own prices.
    package let catalog: Catalog
    /// The settings of the accounts' environment on top of the shop's settings.
    package let policy: Policy
    /// The shop's time: the instant whose events are processed, on the way to `until`.
    package private(set) var now: Timestamp
    /// The instant of the command; what is due before it is processed first.
    package let until: Timestamp
    /// The accounts as they will be committed.
    package private(set) var accounts: [AccountID: Account]
    /// Rows that were loaded or made.
    package private(set) var rows: [TransactionID: Transaction]
    /// The rows to write, in the order of the changes.
    package private(set) var rowChanges: [RowChange]
    /// Redemptions of codes with a limit over all customers.
    package private(set) var redemptions: [CodeRedemption]
    /// What happened, in order.
    package private(set) var events: [Event]
    /// The notifications for the developer's server, in order.
    package private(set) var notifications: [Notification]
    /// The result of the command's purchase; nil for other commands.
    package internal(set) var purchaseResult: PurchaseResult?
    /// The source of new ids; unused ones are discarded with the ledger.
    package var identifiers: Identifiers

    /// The transition function for subscriptions.
    let rule: Transitions.Rule

    /// - Parameters:
    ///   - accounts: the account of the command, and its family.
    ///   - rows: the existing rows that `Command.rows(from:)` named.
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

    // MARK: Time

    /// Processes everything due up to the instant of the command, in the order of the due dates and each at its own
    /// instant.
    ///
    /// - Parameter steps: the maximum number of deadlines to process.
    /// - Returns: whether all were processed; otherwise commit the result and continue in a new ledger.
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

    /// Whether something due has not been processed.
    package var isBehind: Bool { nextDeadline.map { $0.instant <= until } ?? false }

    /// The earliest deadline in these accounts.
    private var nextDeadline: Deadline? {
        accounts.values.compactMap { self.deadline(of: $0) }.min()
    }

    /// The maximum number of deadlines that are processed together with the command that made them due.
    static let mostFreedAtOnce = 8

    // MARK: Commands

    /// Performs a command at the instant of the ledger, after everything due before was processed. After a refusal the
    /// ledger is invalid and must be discarded.
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
        // The command may have made charges due that waited for a card or for consent. Deadlines beyond the limit are
        // processed with the account's next update.
        _ = catchUp(atMost: Ledger.mostFreedAtOnce)
    }

    // MARK: Writing

    /// The account in its current state.
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

    /// An account's own subscription, by its original transaction.
    func subscription(_ original: TransactionID, of id: AccountID) throws(Refusal) -> Subscription {
        if let subscription = self[id].subscription(original) { return subscription }
        throw self[id].sharedSubscription(original) == nil ? .unknownSubscription(original) : .familyShared(original)
    }

    /// Adds a new row at the end of its account's history and returns it with its change number.
    mutating func enter(_ transaction: Transaction) -> Transaction {
        var row = transaction
        row.change = nextChange(of: row.account)
        row.modifiedDate = now
        self[row.account].rowCount += 1
        rows[row.id] = row
        rowChanges.append(RowChange(before: nil, after: row))
        return row
    }

    /// Adds a new period of a subscription.
    mutating func enter(_ transaction: Transaction, until end: Timestamp) -> SubscriptionPeriod {
        var row = transaction
        row.expiresDate = end
        return SubscriptionPeriod(enter(row), until: end)
    }

    /// Changes a row. It moves to the end of the history, unless the change affects no payload.
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

    /// Records an event and its notification. Accounts and rows must already be in the state that the notification
    /// shows.
    ///
    /// - Parameter isSilent: whether to send no notification.
    mutating func note(_ event: Event, isSilent: Bool = false) {
        events.append(event)
        guard let id = event.transaction else { return }
        guard let row = present(id) else { preconditionFailure("\(event) is about a row that was not loaded") }
        self[row.account].lastEvent = max(self[row.account].lastEvent, now)
        guard !isSilent, let notice = event.notice else { return }
        notifications.append(notification(notice, of: event, about: row))
    }

    /// Sets an account's last event to now.
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
        // Looked up by concrete type: an existential would copy the value for each notification.
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

    /// A row in its current state, wherever the ledger holds it.
    private func present(_ id: TransactionID) -> Transaction? {
        if let row = rows[id] { return row }
        for account in accounts.values {
            for subscription in account.heldSubscriptions {
                if let period = subscription.state.periods.first(where: { $0.id == id }) { return period.transaction }
            }
        }
        return nil
    }

    /// Claims one redemption of a code with a limited number of redemptions.
    mutating func claim(_ redemption: CodeRedemption) {
        redemptions.append(redemption)
    }

    /// The next change number of an account.
    private mutating func nextChange(of id: AccountID) -> Int64 {
        self[id].changeNumber += 1
        self[id].lastEvent = max(self[id].lastEvent, now)
        return self[id].changeNumber
    }

    /// A subscription's state contains its transactions; they must equal the ledger's.
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
    /// The change number under which the row is stored now; nil for a new row.
    package let before: Int64?
    /// The new row; a change that affects no payload keeps the change number.
    package var after: Transaction

    /// A row that replaces the one stored under `before`.
    package init(before: Int64?, after: Transaction) {
        self.before = before
        self.after = after
    }
}

/// One redemption of a code with a limit over all customers.
package struct CodeRedemption: Equatable, Sendable {
    /// The bundle identifier.
    package let app: String
    /// Each environment has its own count.
    package let environment: StoreEnvironment
    /// Part of the key: two products may have offers with the same identifier.
    package let productID: String
    /// `offerIdentifier` on the wire.
    package let offerID: String
    /// The maximum number of redemptions in the catalog; the engine rejects more.
    package let limit: Int

    /// One redemption, to count against the limit.
    package init(app: String, environment: StoreEnvironment, productID: String, offerID: String, limit: Int) {
        self.app = app
        self.environment = environment
        self.productID = productID
        self.offerID = offerID
        self.limit = limit
    }
}
