import TillCore

/// A shop without a store: accounts and rows in memory, acted on by the rules alone, on a clock that the test moves.
///
/// A value: a copy of it lives on by itself, so that two ways through the same time can be compared.
package struct CoreStage: Sendable {
    /// What is for sale.
    package var catalog: Catalog
    /// The choices of the environment.
    package var policy: Policy
    /// Decides the shapes of ids.
    package let environment: StoreEnvironment
    /// The shop's time.
    package private(set) var now: Timestamp
    /// By the customer's name.
    package private(set) var accounts: [String: Account] = [:]
    /// Every row that was ever written, as it now is.
    package private(set) var rows: [TransactionID: Transaction] = [:]
    /// Of all customers, in the order in which they came about.
    package private(set) var events: [Event] = []
    package private(set) var notifications: [Notification] = []
    /// What a shop with a store could not have done.
    package private(set) var complaints: [String] = []
    private var nextIdentifier: Int64 = 1
    /// What subscriptions become.
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

    /// Opens an account for a customer who has none.
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

    /// Lets the customer do something now, and gives back what the rules wrote and said.
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
        let expected = command.mostIdentifiers(for: Array(ledger.accounts.values))
        let before = ledger.identifiers.remaining
        try ledger.perform(command, by: account.id)
        let used = before - ledger.identifiers.remaining
        if used > expected { complaints.append("\(command) took \(used) ids and said \(expected) would do") }
        keep(ledger)
        return ledger
    }

    /// Lets time pass: everything that falls due happens in the order in which it does.
    package mutating func advance(to instant: Timestamp) {
        while let (due, account) = nextDue, due <= instant {
            now = max(now, due)
            var ledger = ledger(of: Set(account.family?.members ?? [account.id]), for: .processDue, at: now)
            _ = ledger.catchUp()
            keep(ledger)
        }
        now = max(now, instant)
    }

    /// Lets time pass for each family by itself, in the order of their accounts: all that falls due for one before
    /// anything does for the next, as a shop does that advances.
    ///
    /// - Parameters:
    ///   - customer: only this customer's family; nil for everybody.
    ///   - steps: how many deadlines are handled before what was decided is kept.
    ///   - parts: after so many times so many steps a way without an end is complained of.
    package mutating func pendingAdvance(
        to instant: Timestamp,
        for customer: String? = nil,
        atMost steps: Int = .max,
        parts: Int = .max
    ) {
        // Where time does not come to an end once, it would not the next day either.
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
            if !isDone { complaints.append("\(account.customer)'s time does not come to the present") }
        }
    }

    /// Lets happen what fell due before an act. A deadline that comes again for ever is complained of.
    private mutating func catchUp(_ ledger: inout Ledger) {
        if !ledger.catchUp(atMost: 20_000) { complaints.append("what is due before an act does not come to an end") }
    }

    /// Does a job in every account, in the order of their numbers.
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

    /// What happens next by itself, and to whom.
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
            rows: command.rows(from: concerned).compactMap { rows[$0] }.filter { ids.contains($0.account) },
            catalog: catalog,
            policy: policy,
            identifiers: Identifiers(reserved: nextIdentifier..<nextIdentifier + 1_000_000),
            at: instant,
            rule: rule
        )
    }

    /// Keeps what the rules decided; ids that they did not use are used next, so that two ways through the same time
    /// give the same ids.
    private mutating func keep(_ ledger: Ledger) {
        nextIdentifier += 1_000_000 - ledger.identifiers.remaining
        for changed in ledger.accounts.values { accounts[changed.customer] = changed }
        for change in ledger.rowChanges { rows[change.after.id] = change.after }
        events += ledger.events
        notifications += ledger.notifications
    }
}
