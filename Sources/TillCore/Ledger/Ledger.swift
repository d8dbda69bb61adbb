/// The accounts and transactions that one command affects, and the rules that change them.
///
/// A ledger is a value. The server loads the data, performs one command and commits the result. The rules have no side
/// effects. Each area of the rules is an extension in its own file, such as Purchase, PlanChange, Refund and Family.
package struct Ledger: Sendable {
    /// The products and prices that the app sells now. Past transactions keep their own prices.
    package let catalog: Catalog
    /// The settings of the accounts' environment, combined with the settings of the server.
    package let policy: Policy
    /// The simulated time of the event that is being processed. It moves forward to `until`.
    package private(set) var now: Timestamp
    /// The simulated time of the command. Events that are due earlier are processed before the command.
    package let until: Timestamp
    /// The accounts in the state that will be committed.
    package private(set) var accounts: [AccountID: Account]
    /// The transactions that were loaded or created.
    package private(set) var transactions: [TransactionID: Transaction]
    /// The transactions to write, in the order of their changes.
    package private(set) var transactionChanges: [TransactionChange]
    /// Redemptions of offer codes that have a limit for all customers together.
    package private(set) var redemptions: [CodeRedemption]
    /// The events that have occurred, oldest first.
    package private(set) var events: [Event]
    /// The notifications for the developer's server, oldest first.
    package private(set) var notifications: [Notification]
    /// The result of a purchase command; nil for all other commands.
    package internal(set) var purchaseResult: PurchaseResult?
    /// The source of new ids. Ids that are not used are lost with the ledger.
    package var identifiers: Identifiers

    /// The transition function for subscriptions.
    let rule: Transitions.Rule

    /// - Parameters:
    ///   - accounts: The account of the command and the accounts of its family.
    ///   - transactions: The existing transactions that `Command.transactions(from:)` lists.
    ///   - identifiers: At least as many ids as `Command.maxIdentifiers(for:)` returns.
    package init(
        accounts: [Account],
        transactions: [Transaction] = [],
        catalog: Catalog,
        policy: Policy,
        identifiers: Identifiers,
        at now: Timestamp,
        rule: @escaping Transitions.Rule = Transitions.steps
    ) {
        self.rule = rule
        self.accounts = Dictionary(uniqueKeysWithValues: accounts.map { ($0.id, $0) })
        self.transactions = Dictionary(uniqueKeysWithValues: transactions.map { ($0.id, $0) })
        self.catalog = catalog
        self.policy = policy
        self.identifiers = identifiers
        self.now = now
        until = now
        transactionChanges = []
        redemptions = []
        events = []
        notifications = []
    }

    // MARK: Time

    /// Processes every event that is due up to the time of the command. Events are processed in the order of their due
    /// dates, each at its own instant.
    ///
    /// - Parameter steps: The maximum number of events to process.
    /// - Returns: Whether all due events were processed. If not, commit the result and continue in a new ledger.
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

    /// Whether an event is due that has not been processed.
    package var isBehind: Bool { nextDeadline.map { $0.instant <= until } ?? false }

    /// The earliest event that is due in any of these accounts.
    private var nextDeadline: Deadline? {
        accounts.values.compactMap { self.deadline(of: $0) }.min()
    }

    /// The maximum number of events that are processed together with the command that made them due.
    static let maxFreedAtOnce = 8

    // MARK: Commands

    /// Performs a command at the ledger's time, after all events that were due earlier. After a refusal the ledger is
    /// invalid and must be discarded.
    package mutating func perform(_ command: Command, by id: AccountID) throws(Refusal) {
        for account in accounts.values where now < account.lastEvent {
            throw .earlierThanLastEvent(at: now, last: account.lastEvent)
        }
        switch command {
        case .purchase(let purchase): try buy(purchase, by: id)
        case .finish(let transaction): try finish(transaction)
        case .setAppAccountToken(let transaction, let token): try setAppAccountToken(token, on: transaction)
        case .joinFamily(let other, let name, let linksCopies):
            try join(id, familyOf: other, named: name, linksCopies: linksCopies)
        case .leaveFamily: try leaveFamily(id)
        case .shareWithFamily(let original, let shares): try setSharing(of: original, to: shares)
        case .downloadApp(let download): downloadApp(download, by: id)
        case .turnAutoRenewOff(let original): try turnAutoRenewOff(original, by: id)
        case .turnAutoRenewOn(let original): try turnAutoRenewOn(original, by: id)
        case .update(let wanted): update(wanted, by: id)
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
        case .processDue: break
        }
        // The command may have made charges due that waited for a valid card or for consent. Events beyond the limit
        // are processed at the next update of the account.
        _ = catchUp(atMost: Ledger.maxFreedAtOnce)
    }

    private mutating func update(_ wanted: AccountUpdate, by id: AccountID) {
        if let asks = wanted.asksToBuy { setAskToBuy(asks, by: id) }
        if let card = wanted.card { useCard(card, by: id) }
        if let clock = wanted.clock { useClock(clock.name, by: id) }
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

    /// A transaction that the command identifies.
    func transaction(_ id: TransactionID) throws(Refusal) -> Transaction {
        guard let transaction = transactions[id] else { throw .unknownTransaction(id) }
        return transaction
    }

    /// An account's own subscription, which the original transaction identifies.
    func subscription(_ original: TransactionID, of id: AccountID) throws(Refusal) -> Subscription {
        if let subscription = self[id].subscription(original) { return subscription }
        throw self[id].sharedSubscription(original) == nil ? .unknownSubscription(original) : .familyShared(original)
    }

    /// Adds a new transaction to the end of its account's history, and returns it with its change number.
    mutating func enter(_ transaction: Transaction) -> Transaction {
        var transaction = transaction
        transaction.change = nextChange(of: transaction.account)
        transaction.modifiedDate = now
        if transaction.foreign == nil {
            transaction.foreign = accounts[transaction.account]?.foreignIDs(of: transaction)
        }
        self[transaction.account].rowCount += 1
        transactions[transaction.id] = transaction
        transactionChanges.append(TransactionChange(before: nil, after: transaction))
        return transaction
    }

    /// Adds a new period of a subscription.
    mutating func enter(_ transaction: Transaction, until end: Timestamp) -> SubscriptionPeriod {
        var transaction = transaction
        transaction.expiresDate = end
        return SubscriptionPeriod(enter(transaction), until: end)
    }

    /// Changes a transaction. It moves to the end of the history, unless no payload contains the change.
    @discardableResult
    mutating func amend(
        _ transaction: Transaction,
        movesHistory: Bool = true,
        _ change: (inout Transaction) -> Void
    ) -> Transaction {
        var amended = transaction
        change(&amended)
        if movesHistory {
            amended.change = nextChange(of: transaction.account)
            amended.modifiedDate = now
        }
        transactions[transaction.id] = amended
        if let place = transactionChanges.lastIndex(where: { $0.after.id == transaction.id }) {
            transactionChanges[place].after = amended
        } else {
            transactionChanges.append(TransactionChange(before: transaction.change, after: amended))
        }
        refresh(amended)
        return amended
    }

    /// Records an event and its notification. The accounts and transactions must already have the state that the
    /// notification shows.
    ///
    /// - Parameter isSilent: Whether to omit the notification.
    mutating func note(_ event: Event, isSilent: Bool = false) {
        events.append(event)
        guard let id = event.transaction else { return }
        guard let transaction = present(id) else {
            preconditionFailure("\(event) is about a transaction that was not loaded")
        }
        self[transaction.account].lastEvent = max(self[transaction.account].lastEvent, now)
        guard !isSilent, let notice = event.notice else { return }
        notifications.append(notification(notice, of: event, about: transaction))
    }

    /// Sets the time of an account's last event to now.
    mutating func touch(_ id: AccountID) {
        self[id].lastEvent = max(self[id].lastEvent, now)
    }

    private mutating func notification(_ notice: Notice, of event: Event, about transaction: Transaction)
        -> Notification
    {
        var account = self[transaction.account]
        account.notificationNumber += 1
        let earliest = account.lastSigned.map { $0.advanced(milliseconds: 1) } ?? now
        let signedDate = max(now, earliest)
        account.lastSigned = signedDate
        self[transaction.account] = account
        // These look-ups use concrete types, because an existential would copy the value for each notification.
        let own = transaction.ownership == .purchased ? account.subscription(transaction.originalID) : nil
        let shared = transaction.ownership == .familyShared ? account.sharedSubscription(transaction.originalID) : nil
        var reason: ConsumptionRequestReason?
        if case .refundRequested(_, let given, _) = event { reason = given }
        return Notification(
            consumptionRequestReason: reason,
            type: notice.type,
            subtype: notice.subtype,
            account: account.id,
            number: account.notificationNumber,
            transaction: transaction,
            renewalInfo: own.map { info(of: $0, account) } ?? shared.map { info(of: $0, account) },
            status: own?.status ?? shared?.status,
            date: now,
            signedDate: signedDate
        )
    }

    private func info(of subscription: some HeldSubscription, _ account: Account) -> RenewalInfo {
        RenewalInfo(of: subscription, held: account, at: now, catalog: catalog, policy: policy)
    }

    /// A transaction in its current state: a loaded or created one, or one in the state of a subscription.
    private func present(_ id: TransactionID) -> Transaction? {
        if let transaction = transactions[id] { return transaction }
        for account in accounts.values {
            for subscription in account.heldSubscriptions {
                if let period = subscription.state.periods.first(where: { $0.id == id }) { return period.transaction }
            }
        }
        return nil
    }

    /// Counts one redemption of an offer code that has a limit.
    mutating func claim(_ redemption: CodeRedemption) {
        redemptions.append(redemption)
    }

    /// The next change number of an account.
    private mutating func nextChange(of id: AccountID) -> Int64 {
        self[id].changeNumber += 1
        self[id].lastEvent = max(self[id].lastEvent, now)
        return self[id].changeNumber
    }

    /// Updates the transaction in the state of its subscription, which must equal the transaction of the ledger.
    private mutating func refresh(_ transaction: Transaction) {
        guard transaction.groupID != nil else { return }
        func refreshed(_ state: SubscriptionState) -> SubscriptionState {
            state.contains(transaction.id) ? state.map { $0.id == transaction.id ? transaction : $0 } : state
        }
        if var subscription = self[transaction.account].subscription(transaction.originalID) {
            subscription.state = refreshed(subscription.state)
            self[transaction.account].put(subscription)
        } else if var copy = self[transaction.account].sharedSubscription(transaction.originalID) {
            copy.state = refreshed(copy.state)
            self[transaction.account].put(copy)
        }
    }
}

/// A transaction to write.
package struct TransactionChange: Equatable, Sendable {
    /// The change number that the stored transaction has now; nil for a new transaction.
    package let before: Int64?
    /// The new transaction. It keeps its change number if no payload contains the change.
    package var after: Transaction

    /// A transaction that replaces the stored transaction with the change number `before`.
    package init(before: Int64?, after: Transaction) {
        self.before = before
        self.after = after
    }
}

/// One redemption of an offer code that has a limit for all customers together.
package struct CodeRedemption: Equatable, Sendable {
    /// The app's bundle identifier.
    package let app: String
    /// The environment of the customer. Each environment counts separately.
    package let environment: StoreEnvironment
    /// The product of the offer. Offers of two products may have the same identifier.
    package let productID: String
    /// `offerIdentifier` in the payload.
    package let offerID: String
    /// The maximum number of redemptions, from the catalog. The database refuses any further redemption.
    package let limit: Int

    /// One redemption that counts toward the limit.
    package init(app: String, environment: StoreEnvironment, productID: String, offerID: String, limit: Int) {
        self.app = app
        self.environment = environment
        self.productID = productID
        self.offerID = offerID
        self.limit = limit
    }
}

extension Offer {
    /// A redemption of the offer by a customer, which counts toward its limit; nil unless the offer is a code with a
    /// limit.
    package func redemption(of product: Product, by account: Account) -> CodeRedemption? {
        guard kind == .code, let id, let redemptionLimit else { return nil }
        return CodeRedemption(
            app: account.app,
            environment: account.environment,
            productID: product.id,
            offerID: id,
            limit: redemptionLimit
        )
    }
}
