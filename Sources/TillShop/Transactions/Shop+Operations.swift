import Logging
import TillCore
import TillStorage

/// Every operation on accounts: load what a command concerns, process due events, apply the rules, sign the
/// notifications, and commit everything in one transaction.
extension Shop {
    /// Performs a command of a customer or the store, and returns once it is durable.
    ///
    /// Due events are processed first. After an operation dated in the past, time passes up to the present.
    ///
    /// - Parameters:
    ///   - command: what to do.
    ///   - customer: the customer whose account acts.
    ///   - instant: the shop's time of the operation; nil is now. Never before the account's last event, nor later than
    ///     the account's clock.
    ///   - opening: how to open the account when the customer has none yet; nil refuses.
    ///   - receive: receives the notifications of everything that happened, in order.
    /// - Throws: `Refusal` when the rules forbid it; `ShopBusy` when the store cannot accept it now.
    package func perform(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp? = nil,
        opening: Opening? = nil,
        notifying receive: ([Notification]) -> Void = { _ in }
    ) async throws -> Outcome {
        try await gate.shared {
            let before = try await presentBeforeMoving(command, customer)
            let outcome = try await performLocked(
                command,
                by: customer,
                at: instant,
                opening: opening,
                notifying: receive
            )
            if let before {
                let moved = outcome.ledger.accounts.values.filter { $0.clock == outcome.account.clock }
                let clock = outcome.account.clockName
                try await runJobsPassed(by: moved.sorted { $0.id < $1.id }, on: clock, since: before)
            }
            // After an operation dated in the past, or a move to a clock that is ahead, the account is brought to the
            // present.
            guard let due = outcome.nextDue else { return outcome }
            try await asOfNow {
                let present = now(of: outcome.account)
                if due <= present { receive(try await processDue(customer, until: present)) }
            }
            return outcome
        }
    }

    /// What a customer's clock shows before a move to another clock; nil for every other command.
    private func presentBeforeMoving(_ command: Command, _ customer: CustomerName) async throws -> Timestamp? {
        guard case .useClock = command else { return nil }
        let scope = customer.scope
        return try await storage.account(environment: scope.environment, app: scope.app, customer: customer.customer)
            .map { now(of: $0) }
    }

    /// Processes the due events of a customer and the family up to an instant.
    ///
    /// - Parameter givingWay: ends early when a caller waits for the exclusive lock.
    /// - Returns: the notifications, in order.
    /// - Throws: `GaveWay` when it ended early, and the errors of an operation.
    @discardableResult
    func processDue(_ customer: CustomerName, until instant: Timestamp, givingWay: Bool = false) async throws
        -> [Notification]
    {
        var notifications: [Notification] = []
        _ = try await performLocked(.processDue, by: customer, at: instant, opening: nil, givingWay: givingWay) {
            notifications += $0
        }
        return notifications
    }

    /// There is more to do, but a caller waits for the exclusive lock.
    struct GaveWay: Error {}

    /// The instant at which reads evaluate the state of an account.
    ///
    /// Reads write nothing: they show every account as the ticker left it, with its subscriptions, history and
    /// receipts. So while a due event waits for the ticker, this is the instant before that event; otherwise it is the
    /// present. `Ticker` bounds the difference and reports it as `till_clock_lag_seconds`.
    ///
    /// - Throws: `DamagedAccount` when the account contradicts itself.
    package func instantOfState(of account: Account) async throws -> Timestamp {
        if let reason = account.damage { throw quarantine(DamagedAccount(account, reason)) }
        var family: [Account] = []
        // A family member's copy changes with the purchase, which is stored in the purchaser's account.
        for member in account.family?.members ?? [] where member != account.id {
            // A damaged member is quarantined, and none of its events are processed.
            if let other = try await storage.storedAccount(member)?.account, other.damage == nil {
                family.append(other)
            }
        }
        return instantOfState(of: account, family: family)
    }

    /// The same for a caller that has already loaded the family, or whose account has no shared copies.
    package func instantOfState(of account: Account, family: [Account]) -> Timestamp {
        let now = now(of: account)
        let due = ([account] + family).compactMap { present($0).nextDue(of: $0) }.min()
        guard let due, due <= now else { return now }
        return due.advanced(milliseconds: -1)
    }

    /// The next event of a customer; nil if there is none.
    package func upcomingEvents(to account: Account) -> UpcomingEvent? { present(account).upcomingEvent(of: account) }

    /// A ledger of one account at its present, for queries.
    private func present(_ account: Account) -> Ledger {
        Ledger(
            accounts: [account],
            catalog: registry.catalog(of: account.app),
            policy: policy(of: AccountScope(environment: account.environment, app: account.app)),
            identifiers: Identifiers(reserved: 0..<0),
            at: now(of: account)
        )
    }

    /// Performs a command, and leaves all accounts at the instant of the operation.
    func performLocked(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp?,
        opening: Opening?,
        givingWay: Bool = false,
        notifying receive: ([Notification]) -> Void = { _ in }
    ) async throws -> Outcome {
        var keys: Set<String> = [customer.lockKey]
        var attempts = 0
        while attempts < Self.maxAttempts {
            let held = keys
            let result = try await gate.shared {
                try await locks.holding(held) {
                    try await self.attempt(command, by: customer, at: instant, opening: opening, holding: held)
                }
            }
            switch result {
            case .done(let outcome):
                receive(outcome.ledger.notifications)
                return outcome
            case .behind(let ledger):
                receive(ledger.notifications)
                try checkStopping()
                if givingWay, gate.waitingToBeAlone > 0 { throw GaveWay() }
            case .needs(let more): keys = more
            case .conflict: attempts += 1
            case .preconditionFailed:
                try await cluster?.catchUp()
                attempts += 1
            }
        }
        throw ShopBusy(reason: "the account of \(customer.customer) changed \(Self.maxAttempts) times meanwhile")
    }

    /// How often a decision is repeated after conflicts.
    static let maxAttempts = 32
    /// The maximum number of deadlines handled in one transaction.
    private static let maxSteps = 64

    private enum Attempt: Sendable {
        case done(Outcome)
        /// Due events were processed, but more must be before the command.
        case behind(Ledger)
        /// The command concerns accounts whose locks are not held.
        case needs(Set<String>)
        case conflict
        /// Another node changed what the decision was based on.
        case preconditionFailed
    }

    private func attempt(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp?,
        opening: Opening?,
        holding keys: Set<String>
    ) async throws -> Attempt {
        let scope = customer.scope
        // Before anything is read that other nodes may change.
        let writePrecondition = try writePrecondition()
        let present = try await quarantining {
            try await storage.account(environment: scope.environment, app: scope.app, customer: customer.customer)
        }
        let isNew = present == nil
        let account: Account
        if let present {
            account = present
        } else {
            guard let opening else { throw Refusal.unknownAccount(customer.customer) }
            account = try await open(customer, opening, at: instant ?? now(in: scope))
        }
        if let instant { try check(instant, for: command, on: account.clockName) }
        let loaded = [account] + (try await quarantining { try await others(concernedBy: command, of: account) })
        try checkUndamaged(loaded, of: customer)
        // No instant means now; an account that is ahead continues from its last event.
        let now = instant ?? loaded.reduce(now(of: account)) { max($0, $1.lastEvent) }
        let needed = Set(loaded.map { CustomerName(scope, $0.customer).lockKey })
        guard needed.isSubset(of: keys) else { return .needs(needed.union(keys)) }

        var ledger = Ledger(
            accounts: loaded,
            transactions: try await transactions(for: command, loaded),
            catalog: registry.catalog(of: scope.app),
            policy: policy(of: scope),
            identifiers: Identifiers(reserved: 0..<0),
            at: now
        )
        let isBehind = ledger.isBehind
        // Version 1 reports the state of the whole account, so each deadline is committed before the next.
        let maxSteps = hasVersionOneEndpoint(scope) ? 1 : Self.maxSteps
        let steps = isBehind ? Int64(maxSteps * 3 * loaded.count) : 0
        ledger.identifiers = try await identifiers.take(command.maxIdentifiers(for: loaded) + steps)
        let actor = loaded[0].id
        let isUpToDate = !isBehind || ledger.catchUp(atMost: maxSteps)
        if isUpToDate { try ledger.perform(command, by: actor) }
        await identifiers.giveBack(ledger.identifiers)

        var change = Self.change(from: loaded, to: ledger, opening: isNew ? actor : nil)
        if case .processDue = command, !change.accounts.contains(where: { $0.account.id == actor }) {
            change.accounts += try await refreshDeadline(loaded[0], ledger)
        }
        guard !change.isEmpty else { return .done(Outcome(account: loaded[0], ledger: ledger)) }
        let chain = signingChain
        try await enqueue(ledger.notifications, in: &change, scope: scope, signedBy: chain)
        change.writePrecondition = writePrecondition
        switch await commits.commit(change) {
        case .success:
            if !change.notifications.isEmpty { chains.keep(chain) }
            recentRows.note(change)
            signals.committed(change, notifications: ledger.notifications)
            quarantine.remove(actor)
            let acting = change.accounts.first { $0.account.id == actor }?.account ?? loaded[0]
            return isUpToDate ? .done(Outcome(account: acting, ledger: ledger)) : .behind(ledger)
        case .failure(.conflict):
            return .conflict
        case .failure(.preconditionFailed):
            // The caller chose an instant by the clock, so it must read the clock again.
            if WritePrecondition.held?.configurationVersion != nil { throw PreconditionFailed() }
            return .preconditionFailed
        case .failure(.codeUsedUp(let redemption)):
            throw Refusal.codeUsedUp(offer: redemption.offerID, limit: redemption.limit)
        case .failure(let failure):
            logger.error("commit failed", metadata: ["cause": "\(failure.logText)"])
            throw ShopBusy(failure)
        }
    }

    /// No operation is dated later than the clock shows, because its signed data would be from the future. Only an
    /// advancing clock processes events beyond what it shows.
    private func check(_ instant: Timestamp, for command: Command, on clock: ClockName) throws(Refusal) {
        if case .processDue = command { return }
        try check(instant, on: clock)
    }

    private func check(_ instant: Timestamp, on clock: ClockName) throws(Refusal) {
        let present = now(on: clock)
        guard instant <= present else { throw .laterThanClock(at: instant, now: present) }
    }

    /// When an account is due and nothing happens, its stored deadline is outdated: the product is not for sale any
    /// more, or another rate applies. Then the deadline is stored again, so that the account is not processed again and
    /// again.
    private func refreshDeadline(_ account: Account, _ ledger: Ledger) async throws -> [AccountChange] {
        guard let noted = try await storage.nextDue(of: account.id), noted <= ledger.until else { return [] }
        var after = account
        after.version = account.version + 1
        return [AccountChange(account: after, before: account.version, nextDue: ledger.nextDue(of: after))]
    }

    func transactions(for command: Command, _ accounts: [Account]) async throws -> [Transaction] {
        var transactions: [Transaction] = []
        for id in command.transactions(from: accounts) {
            if let transaction = try await storage.transaction(id),
                accounts.contains(where: { $0.id == transaction.account })
            {
                transactions.append(transaction)
            }
        }
        return transactions
    }

    /// All other accounts that the command concerns: the family, and the family that is joined.
    func others(concernedBy command: Command, of account: Account) async throws -> [Account] {
        var ids = Set(account.family?.members ?? [])
        if case .joinFamily(let host, _) = command {
            ids.insert(host)
            if let family = try await storage.account(host)?.family { ids.formUnion(family.members) }
        }
        ids.remove(account.id)
        var others: [Account] = []
        for id in ids.sorted() {
            // An account stored under another account's number counts as missing.
            if let other = try await storage.account(id), other.id == id { others.append(other) }
        }
        return others
    }

    // MARK: Damaged accounts

    /// Refuses to decide on accounts that contradict themselves or each other.
    ///
    /// - Parameters:
    ///   - accounts: the customer's own account first, then all others that the operation concerns.
    ///   - customer: the customer whose account acts.
    /// - Throws: `DamagedAccount`; the account is quarantined then.
    func checkUndamaged(_ accounts: [Account], of customer: CustomerName) throws {
        if let own = accounts.first,
            CustomerName(AccountScope(environment: own.environment, app: own.app), own.customer) != customer
        {
            throw quarantine(DamagedAccount(own, "it is stored as the account of \(customer.customer)"))
        }
        if let damaged = Ledger.damage(in: accounts) { throw quarantine(damaged) }
    }

    /// Quarantines a damaged account, so that operators see it and clocks skip it, and logs it once.
    func quarantine(_ damaged: DamagedAccount) -> DamagedAccount {
        if quarantine.add(damaged.account, because: damaged.description) {
            logger.error("an account was quarantined", metadata: ["cause": "\(damaged.logText)"])
        }
        return damaged
    }

    /// Reads accounts; an unreadable one is quarantined.
    private func quarantining<Value>(_ read: () async throws -> Value) async throws -> Value {
        do {
            return try await read()
        } catch let damaged as DamagedAccount {
            throw quarantine(damaged)
        }
    }

    /// The differences between the accounts as they were loaded and as the rules left them.
    ///
    /// - Parameter opening: the account that is not in the store yet.
    static func change(from loaded: [Account], to ledger: Ledger, opening: AccountID?) -> Change {
        let accounts = loaded.compactMap { before -> AccountChange? in
            let isNew = before.id == opening
            guard var after = ledger.accounts[before.id], isNew || after != before else { return nil }
            after.version = before.version + 1
            return AccountChange(
                account: after,
                before: isNew ? nil : before.version,
                nextDue: ledger.nextDue(of: after),
                changesClock: after.clock != before.clock
            )
        }
        return Change(accounts: accounts, rows: ledger.transactionChanges, redemptions: ledger.redemptions)
    }

    // MARK: Opening accounts

    private func open(_ customer: CustomerName, _ opening: Opening, at now: Timestamp) async throws -> Account {
        var ids = try await identifiers.take(1)
        let scope = customer.scope
        let partition = Partition(environment: scope.environment, app: scope.app, customer: customer.customer)
        var account = Account(
            id: ids.account(in: partition),
            environment: scope.environment,
            app: scope.app,
            customer: customer.customer,
            storefront: opening.storefront ?? registry.catalog(of: scope.app).storefront,
            at: now
        )
        account.clock = opening.clock
        if opening.downloadsApp {
            account.appTransaction = AppTransaction(
                originalPurchaseDate: now.wholeSecond,
                originalPlatform: opening.platform,
                originalApplicationVersion: opening.applicationVersion,
                applicationVersion: opening.applicationVersion
            )
        }
        return account
    }

    /// Opens an account for a customer without an operation. Opening one that exists changes nothing.
    package func openAccount(
        _ customer: CustomerName,
        _ opening: Opening,
        at instant: Timestamp? = nil
    ) async throws -> Account {
        try await exclusivelyHere(customer.lockKey) {
            let scope = customer.scope
            let find = {
                try await self.storage.account(
                    environment: scope.environment,
                    app: scope.app,
                    customer: customer.customer
                )
            }
            if let account = try await find() { return account }
            let clock = ClockName(scope, own: opening.clock)
            if let instant { try self.check(instant, on: clock) }
            for _ in 0..<Self.maxAttempts {
                let writePrecondition = try self.writePrecondition()
                var account = try await self.open(customer, opening, at: instant ?? self.now(on: clock))
                account.version = 1
                let new = [AccountChange(account: account, before: nil)]
                switch await self.commits.commit(Change(accounts: new, writePrecondition: writePrecondition)) {
                case .success: return account
                case .failure(.preconditionFailed): try await self.cluster?.catchUp()
                case .failure(let failure):
                    if let account = try await find() { return account }
                    throw ShopBusy(failure)
                }
            }
            throw ShopBusy(reason: "other nodes changed the configuration \(Self.maxAttempts) times meanwhile")
        }
    }
}
