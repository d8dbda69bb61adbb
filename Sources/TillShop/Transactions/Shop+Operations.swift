import Logging
import TillCore
import TillStorage

/// Performs all operations on accounts. An operation loads the accounts that a command affects, processes their due
/// events, applies the rules, signs the notifications, and commits everything in one database transaction.
extension Shop {
    /// Performs a command for a customer, and returns once the result is durable.
    ///
    /// Events that are due before the command are processed first. If the command is dated in the past, all events up
    /// to the current time are processed afterwards.
    ///
    /// If more than `maxEventsAtOnce` events are due before the command, the operation fails after about that number of
    /// events. If more are due afterwards, the operation succeeds. In both cases `Ticker` processes the other events.
    ///
    /// - Parameters:
    ///   - command: the command to perform.
    ///   - customer: the customer who performs the command.
    ///   - instant: the simulated date of the operation; nil for the current time. It must not be before the account's
    ///     last event, nor later than the account's clock.
    ///   - opening: the properties with which to open an account for a new customer; nil to reject a new customer.
    ///   - receive: a function that receives the notifications of all events, in order.
    /// - Throws: `Refusal` if the rules forbid the command; `ShopBusy` if the server cannot perform it now.
    package func perform(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp? = nil,
        opening: Opening? = nil,
        notifying receive: ([Notification]) -> Void = { _ in }
    ) async throws -> Outcome {
        var before: Timestamp?
        if case .update(let wanted) = command, wanted.clock != nil {
            before = try await storage.account(of: customer).map { now(of: $0) }
        }
        let limit = Self.maxEventsAtOnce
        let outcome: Outcome
        do {
            outcome = try await transact(
                command,
                by: customer,
                at: instant,
                opening: opening,
                atMost: limit,
                notifying: receive
            )
        } catch is TooManyEvents {
            throw ShopBusy(
                reason: "more than \(limit) events of the customer are due before this operation; "
                    + "Till processes them in the background"
            )
        }
        if let before {
            let moved = outcome.ledger.accounts.values.filter { $0.clock == outcome.account.clock }
            let clock = outcome.account.clockName
            try await jobRunner.runJobsPassed(by: moved.sorted { $0.id < $1.id }, on: clock, since: before)
        }
        // The operation may be dated in the past, or it may have moved the customer to a clock that is ahead. In both
        // cases events up to the current time can be due.
        guard let due = outcome.nextDue, due <= now(of: outcome.account) else { return outcome }
        try await asOfNow {
            let present = now(of: outcome.account)
            do {
                try await transact(.processDue, by: customer, at: present, atMost: limit, notifying: receive)
            } catch is TooManyEvents {
                // The operation has succeeded. `Ticker` processes the other events.
            }
        }
        return outcome
    }

    /// The error if processing ended early because a caller waits for the exclusive lock.
    struct GaveWay: Error {}

    /// The error if processing ended early because it reached its limit.
    private struct TooManyEvents: Error {}

    /// The instant at which a request that only reads evaluates the state of an account.
    ///
    /// Such a request processes no due events; `Ticker` does that in the background. If a due event is not yet
    /// processed, the instant is one millisecond before that event, so that the state matches the stored transactions.
    /// Otherwise it is the current time. `Ticker` limits the delay and reports it as `till_clock_lag_seconds`.
    ///
    /// - Throws: `DamagedAccount` if the account contradicts itself.
    package func instantOfState(of account: Account) async throws -> Timestamp {
        if let reason = account.damage { throw quarantine(DamagedAccount(account, reason)) }
        var family: [Account] = []
        // A subscription that a family member shares changes with events in the purchaser's account.
        for member in account.family?.members ?? [] where member != account.id {
            // The server processes no events of a damaged account.
            if let other = try await storage.storedAccount(member)?.account, other.damage == nil {
                family.append(other)
            }
        }
        return instantOfState(of: account, family: family)
    }

    /// The instant at which to evaluate an account, for a caller that has already loaded the account's family, or whose
    /// account has no shared products.
    package func instantOfState(of account: Account, family: [Account]) -> Timestamp {
        let now = now(of: account)
        let due = ([account] + family).compactMap { present($0).nextDue(of: $0) }.min()
        guard let due, due <= now else { return now }
        return due.advanced(milliseconds: -1)
    }

    /// The next event of a customer's account; nil if there is none.
    package func upcomingEvents(to account: Account) -> UpcomingEvent? { present(account).upcomingEvent(of: account) }

    /// A ledger with one account at its current time, for queries.
    private func present(_ account: Account) -> Ledger {
        Ledger(
            accounts: [account],
            catalog: registry.catalog(of: account.app),
            policy: registry.policy(of: account.scope),
            identifiers: Identifiers(reserved: 0..<0),
            at: now(of: account)
        )
    }

    /// Performs a command, and processes no events after the instant of the operation. The command `.processDue`
    /// processes the due events of a customer and their family up to the instant.
    ///
    /// - Parameters:
    ///   - givingWay: whether to end early if a caller waits for the exclusive lock.
    ///   - limit: the number of due events after which the operation ends early.
    ///   - receive: a function that receives the notifications of the events, in order.
    /// - Throws: `GaveWay` or `TooManyEvents` if it ended early; otherwise the errors of the operation.
    @discardableResult
    func transact(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp?,
        opening: Opening? = nil,
        givingWay: Bool = false,
        atMost limit: Int = .max,
        notifying receive: ([Notification]) -> Void = { _ in }
    ) async throws -> Outcome {
        var keys: Set<String> = [customer.lockKey]
        var events = 0
        while true {
            let step: Step
            do {
                step = try await transactor.transact("the account of \(customer.customer)", locking: &keys) { held in
                    try await decide(command, by: customer, at: instant, opening: opening, holding: held)
                }
            } catch let damaged as DamagedAccount {
                throw quarantine(damaged)
            }
            if step.isWritten { quarantine.remove(step.outcome.account.id) }
            receive(step.outcome.ledger.notifications)
            guard step.isBehind else { return step.outcome }
            try checkStopping()
            events += maxStepsAtOnce(in: customer.scope)
            guard events < limit else { throw TooManyEvents() }
            if givingWay, gate.waitingToBeAlone > 0 { throw GaveWay() }
        }
    }

    /// The maximum number of due events that are processed in one database transaction.
    private static let maxSteps = 64

    /// The maximum number of due events that are processed in one database transaction of an app's environment. A
    /// version 1 notification contains the state of the whole account, so each due event is committed separately.
    private func maxStepsAtOnce(in scope: AccountScope) -> Int { hasVersionOneEndpoint(scope) ? 1 : Self.maxSteps }

    /// The maximum number of due events that one operation processes, so that an operation ends in some seconds.
    @TaskLocal static var maxEventsAtOnce = 10_000

    /// The result of one database transaction.
    private struct Step: Sendable {
        let outcome: Outcome
        /// Whether more due events must be processed before the command.
        let isBehind: Bool
        let isWritten: Bool
    }

    /// Loads the accounts that a command affects, and applies the rules.
    private func decide(
        _ command: Command,
        by customer: CustomerName,
        at instant: Timestamp?,
        opening: Opening?,
        holding keys: Set<String>
    ) async throws -> Decision<Step> {
        let scope = customer.scope
        let present = try await storage.account(of: customer)
        let account: Account
        if let present {
            account = present
        } else {
            guard let opening else { throw Refusal.unknownAccount(customer.customer) }
            account = try open(customer, opening, at: instant ?? now(on: ClockName(scope, own: opening.clock)))
        }
        if let instant { try check(instant, for: command, on: account.clockName) }
        if case .update(let update) = command, let own = update.clock?.name {
            try requireClock(ClockName(scope, own: own))
        }
        var loaded = [account]
        if account.family != nil || command.joinsFamily {
            loaded += try await others(concernedBy: command, of: account)
        }
        try checkUndamaged(loaded, of: customer)
        let needed = Set(loaded.map { CustomerName(scope, $0.customer).lockKey })
        guard needed.isSubset(of: keys) else { return .needs(needed) }
        // Without an instant, the operation happens now. If an account is ahead of its clock, it happens at the date of
        // the account's last event.
        let now = instant ?? loaded.reduce(now(of: account)) { max($0, $1.lastEvent) }
        let ids = command.transactions(from: loaded)
        let transactions = try await ids.isEmpty ? [] : transactions(ids, of: loaded)
        let (ledger, isBehind) = try apply(command, to: loaded, transactions, in: scope, at: now)

        var change = Self.change(from: loaded, to: ledger, opening: present == nil ? account.id : nil)
        if case .processDue = command, !change.accounts.contains(where: { $0.account.id == account.id }) {
            change.accounts += try await refreshDeadline(account, ledger)
        }
        guard !change.isEmpty else {
            let outcome = Outcome(account: account, ledger: ledger)
            return .unchanged(Step(outcome: outcome, isBehind: false, isWritten: false))
        }
        let acting = change.accounts.first { $0.account.id == account.id }?.account ?? account
        let outcome = Outcome(account: acting, ledger: ledger)
        var draft = Draft(change: change, notifications: ledger.notifications, chain: signingChain)
        try enqueue(ledger.notifications, in: &draft.change, scope: scope, signedBy: draft.chain)
        if hasVersionOneEndpoint(scope) { try await enqueueVersionOne(ledger.notifications, in: &draft.change, scope) }
        return .write(draft, Step(outcome: outcome, isBehind: isBehind, isWritten: true))
    }

    /// Processes due events, and then performs the command, unless too many events are due.
    ///
    /// - Parameter loaded: the acting account first, then the other accounts that the command affects.
    /// - Returns: the ledger, and whether more due events must be processed before the command.
    private func apply(
        _ command: Command,
        to loaded: [Account],
        _ transactions: [Transaction],
        in scope: AccountScope,
        at now: Timestamp
    ) throws -> (ledger: Ledger, isBehind: Bool) {
        var ledger = Ledger(
            accounts: loaded,
            transactions: transactions,
            catalog: registry.catalog(of: scope.app),
            policy: registry.policy(of: scope),
            identifiers: Identifiers(reserved: 0..<0),
            at: now
        )
        let isBehind = ledger.isBehind
        let maxSteps = maxStepsAtOnce(in: scope)
        let steps = isBehind ? Int64(maxSteps * 3 * loaded.count) : 0
        ledger.identifiers = try identifiers.take(command.maxIdentifiers(for: loaded) + steps)
        let isUpToDate = !isBehind || ledger.catchUp(atMost: maxSteps)
        if isUpToDate { try ledger.perform(command, by: loaded[0].id) }
        identifiers.giveBack(ledger.identifiers)
        return (ledger, !isUpToDate)
    }

    /// Rejects an operation that is dated later than its clock shows, because its signed data would have a date in the
    /// future. An advance may process events that are later than the clock shows.
    private func check(_ instant: Timestamp, for command: Command, on clock: ClockName) throws(Refusal) {
        if case .processDue = command { return }
        try check(instant, on: clock)
    }

    func check(_ instant: Timestamp, on clock: ClockName) throws(Refusal) {
        let present = now(on: clock)
        guard instant <= present else { throw .laterThanClock(at: instant, now: present) }
    }

    /// Updates the stored date of an account's next event if the account is due but no event happened. The stored date
    /// can be wrong because a product was removed from sale or the renewal rate changed. Without the update, the server
    /// would process the account again and again.
    private func refreshDeadline(_ account: Account, _ ledger: Ledger) async throws -> [AccountChange] {
        guard let noted = try await storage.nextDue(of: account.id), noted <= ledger.until else { return [] }
        var after = account
        after.version = account.version + 1
        return [AccountChange(account: after, before: account.version, nextDue: ledger.nextDue(of: after))]
    }

    /// Those of the transactions that belong to the accounts.
    func transactions(_ ids: [TransactionID], of accounts: [Account]) async throws -> [Transaction] {
        var transactions: [Transaction] = []
        for id in ids {
            if let transaction = try await storage.transaction(id),
                accounts.contains(where: { $0.id == transaction.account })
            {
                transactions.append(transaction)
            }
        }
        return transactions
    }

    /// Loads all other accounts that the command affects: the customer's family, and the family that the customer
    /// joins.
    func others(concernedBy command: Command, of account: Account) async throws -> [Account] {
        var ids = Set(account.family?.members ?? [])
        if case .joinFamily(let host, _, _) = command {
            ids.insert(host)
            if let family = try await storage.account(host)?.family { ids.formUnion(family.members) }
        }
        ids.remove(account.id)
        var others: [Account] = []
        for id in ids.sorted() {
            // An account that is stored under another account's number counts as missing.
            if let other = try await storage.account(id), other.id == id { others.append(other) }
        }
        return others
    }

    // MARK: Damaged accounts

    /// Rejects an operation on accounts that contradict themselves or each other.
    ///
    /// - Parameters:
    ///   - accounts: the customer's own account first, then all other accounts that the operation affects.
    ///   - customer: the customer who performs the operation.
    /// - Throws: `DamagedAccount` for a damaged account, which is also quarantined.
    func checkUndamaged(_ accounts: [Account], of customer: CustomerName) throws {
        if let own = accounts.first, own.customerName != customer {
            throw quarantine(DamagedAccount(own, "it is stored as the account of \(customer.customer)"))
        }
        if let damaged = Ledger.damage(in: accounts) { throw quarantine(damaged) }
    }

    /// Quarantines a damaged account, so that operators see it and advances skip it. The reason is logged once.
    func quarantine(_ damaged: DamagedAccount) -> DamagedAccount {
        if quarantine.add(damaged.account, because: damaged.description) {
            logger.error("an account was quarantined", metadata: ["cause": "\(damaged.logText)"])
        }
        return damaged
    }

    /// Creates the change that stores the result of an operation. An account also gets a new version if only a
    /// transaction of it changes, because kept pages of its history are valid for one version (`HistoryPages`).
    ///
    /// - Parameters:
    ///   - loaded: the accounts before the operation.
    ///   - ledger: the accounts and transactions after the operation.
    ///   - opening: the id of the account that the operation opens; nil if it opens none.
    static func change(from loaded: [Account], to ledger: Ledger, opening: AccountID?) -> Change {
        let amended = Set(ledger.transactionChanges.map(\.after.account))
        let accounts = loaded.compactMap { before -> AccountChange? in
            let isNew = before.id == opening
            guard var after = ledger.accounts[before.id], isNew || amended.contains(before.id) || after != before else {
                return nil
            }
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
}

extension Command {
    /// Whether the command also affects the family of another account.
    fileprivate var joinsFamily: Bool { if case .joinFamily = self { true } else { false } }
}
