import TillCore

/// A shop without a store: accounts and rows in memory, changed by the rules alone, on a clock that the test moves.
/// A value type: a copy is independent, so that a test can compare two ways through the same time.
package struct CoreStage: Sendable {
    /// The products for sale.
    package var catalog: Catalog
    /// The settings of the environment.
    package var policy: Policy
    /// Determines the format of ids.
    package let environment: StoreEnvironment
    /// The shop's time.
    package private(set) var now: Timestamp
    /// By the customer's name.
    package private(set) var accounts: [String: Account] = [:]
    /// Every row ever written, in its current state.
    package private(set) var rows: [TransactionID: Transaction] = [:]
    /// Of all customers, in the order of creation.
    package private(set) var events: [Event] = []
    package private(set) var notifications: [Notification] = []
    /// Errors that a shop with a store would have rejected.
    package private(set) var complaints: [String] = []
    private var nextIdentifier: Int64 = 1
    /// The transition rule for subscriptions.
    private let rule: Transitions.Rule

    /// An empty shop at an instant.
    package init(
        in environment: StoreEnvironment,
        selling products: [Product],
        policy: Policy? = nil,
        at now: Timestamp,
        rule: @escaping Transitions.Rule = Transitions.steps
    ) {
        self.rule = rule
        self.environment = environment
        self.policy = policy ?? Policy(for: environment)
        self.now = now
        catalog = Catalog()
        for product in products { catalog.put(product) }
    }

    /// Creates an account for a customer who has none.
    package mutating func open(_ customer: String, storefront: Storefront = .unitedStates) {
        guard accounts[customer] == nil else { return }
        let partition = Partition(environment: environment, app: "com.example", customer: customer)
        var identifiers = Identifiers(reserved: nextIdentifier..<nextIdentifier + 1)
        nextIdentifier += 1
        accounts[customer] = Account(
            id: identifiers.account(in: partition),
            environment: environment,
            app: "com.example",
            customer: customer,
            storefront: storefront,
            at: now
        )
    }

    /// Runs a customer's command now, and returns what the rules wrote and answered.
    @discardableResult
    package mutating func act(_ customer: String, _ command: Command) throws(Refusal) -> Ledger {
        open(customer)
        guard let account = accounts[customer] else { throw .unknownAccount(customer) }
        var ids = Set(account.family?.members ?? [])
        if case .joinFamily(let host, _) = command {
            ids.insert(host)
            ids.formUnion(accounts.values.first { $0.id == host }?.family?.members ?? [])
        }
        ids.insert(account.id)
        var ledger = ledger(of: ids, for: command, at: now)
        catchUp(&ledger)
        let expected = command.maxIdentifiers(for: Array(ledger.accounts.values))
        let before = ledger.identifiers.remaining
        try ledger.perform(command, by: account.id)
        let used = before - ledger.identifiers.remaining
        if used > expected { complaints.append("\(command) used \(used) ids, but its limit is \(expected)") }
        keep(ledger)
        return ledger
    }

    /// Advances the time: every event that falls due happens in order.
    package mutating func advance(to instant: Timestamp) {
        while let (due, account) = nextDue, due <= instant {
            now = max(now, due)
            var ledger = ledger(of: Set(account.family?.members ?? [account.id]), for: .processDue, at: now)
            _ = ledger.catchUp()
            keep(ledger)
        }
        now = max(now, instant)
    }

    /// Advances the time for each family separately, in the order of their accounts: all events of one family before
    /// those of the next, as a shop processes an advance.
    ///
    /// - Parameters:
    ///   - customer: only this customer's family; nil for all.
    ///   - steps: how many deadlines are processed before the results are kept.
    ///   - parts: reports an endless loop after this many times `steps` deadlines.
    package mutating func pendingAdvance(
        to instant: Timestamp,
        for customer: String? = nil,
        atMost steps: Int = .max,
        parts: Int = .max
    ) {
        // An account that loops once would loop again the next day.
        guard complaints.isEmpty else { return }
        now = max(now, instant)
        var done: Set<AccountID> = []
        for account in accounts.values.sorted(by: { $0.id < $1.id }) {
            let family = Set(account.family?.members ?? [account.id])
            if done.contains(account.id) { continue }
            if let customer, let named = accounts[customer], !family.contains(named.id) { continue }
            done.formUnion(family)
            var isDone = false
            for _ in 0..<parts {
                guard !isDone else { break }
                var ledger = ledger(of: family, for: .processDue, at: now)
                isDone = ledger.catchUp(atMost: steps)
                keep(ledger)
            }
            if !isDone { complaints.append("\(account.customer) does not reach the present: endless deadlines") }
        }
    }

    /// Processes the events that fell due before an operation. Reports a deadline that repeats for ever.
    private mutating func catchUp(_ ledger: inout Ledger) {
        if !ledger.catchUp(atMost: 20_000) { complaints.append("endless deadlines before an operation") }
    }

    /// Runs a job in every account, in the order of their numbers.
    package mutating func perform(_ job: Job) {
        for account in accounts.values.sorted(by: { $0.id < $1.id }) {
            var ledger = ledger(of: Set(account.family?.members ?? [account.id]), for: .job(job), at: now)
            catchUp(&ledger)
            do {
                try ledger.perform(.job(job), by: account.id)
            } catch {
                preconditionFailure("a job was refused: \(error.explanation)")
            }
            keep(ledger)
        }
    }

    /// The next scheduled event, and its account.
    package var nextDue: (Timestamp, Account)? {
        let ledger = ledger(of: [], for: .processDue, at: now)
        return accounts.values.compactMap { account in ledger.nextDue(of: account).map { ($0, account) } }
            .min { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
    }

    /// The customer of an account.
    package func customer(_ id: AccountID) -> String? { accounts.values.first { $0.id == id }?.customer }

    /// The customer's rows in the order of the history.
    package func history(_ customer: String) -> [Transaction] {
        rows.values.filter { $0.account == accounts[customer]?.id }.sorted { $0.change < $1.change }
    }

    private func ledger(of ids: Set<AccountID>, for command: Command, at instant: Timestamp) -> Ledger {
        let concerned = accounts.values.filter { ids.contains($0.id) }.sorted { $0.id < $1.id }
        return Ledger(
            accounts: concerned,
            transactions: command.transactions(from: concerned).compactMap { rows[$0] }.filter { ids.contains($0.account) },
            catalog: catalog,
            policy: policy,
            identifiers: Identifiers(reserved: nextIdentifier..<nextIdentifier + 1_000_000),
            at: instant,
            rule: rule
        )
    }

    /// Keeps the decisions of the rules. Unused ids are used next, so that two ways through the same time give the same
    /// ids.
    private mutating func keep(_ ledger: Ledger) {
        nextIdentifier += 1_000_000 - ledger.identifiers.remaining
        for changed in ledger.accounts.values { accounts[changed.customer] = changed }
        for change in ledger.transactionChanges { rows[change.after.id] = change.after }
        events += ledger.events
        notifications += ledger.notifications
    }
}
