import TillCore

/// A shop without a database. It keeps accounts and transactions in memory, and only the rules of TillCore change them.
/// Only the test moves its clock.
/// Copies are independent (it is a value type), so a test can advance two copies in different ways and compare them.
package struct CoreShop: Sendable {
    /// The products for sale.
    package var catalog: Catalog
    /// The policy of the environment.
    package var policy: Policy
    /// The App Store environment, which determines the format of ids.
    package let environment: StoreEnvironment
    /// The time on the shop's clock.
    package private(set) var now: Timestamp
    /// The accounts by the customer's name.
    package private(set) var accounts: [String: Account] = [:]
    /// Every transaction ever created, in its present state.
    package private(set) var rows: [TransactionID: Transaction] = [:]
    /// The events of all customers, oldest first.
    package private(set) var events: [Event] = []
    package private(set) var notifications: [Notification] = []
    /// Errors for which a shop with a database would have rejected the write, one sentence each.
    package private(set) var complaints: [String] = []
    private var nextIdentifier: Int64 = 1
    /// The transition rule for subscriptions.
    private let rule: Transitions.Rule

    /// Creates a shop without customers, at an instant.
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

    /// Runs a customer's command at the present time, and returns the result of the rules.
    @discardableResult
    package mutating func perform(_ command: Command, by customer: String = "ann") throws(Refusal) -> Ledger {
        open(customer)
        guard let account = accounts[customer] else { throw .unknownAccount(customer) }
        var ids = Set(account.family?.members ?? [])
        if case .joinFamily(let host, _, _) = command {
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

    /// Advances the clock, and processes every event that falls due on the way, in the order of the due times.
    package mutating func advance(to instant: Timestamp) {
        while let (due, account) = nextDue, due <= instant {
            now = max(now, due)
            var ledger = ledger(of: Set(account.family?.members ?? [account.id]), for: .processDue, at: now)
            _ = ledger.catchUp()
            keep(ledger)
        }
        now = max(now, instant)
    }

    /// Advances the clock for each family separately, as `Shop` does: all events of one family are processed before
    /// those of the next. Families are processed in the order of their account numbers.
    ///
    /// - Parameters:
    ///   - customer: Advances only this customer's family; nil advances all families.
    ///   - steps: The number of deadlines that are processed before the results are stored.
    ///   - parts: The number of such batches after which an endless loop is reported.
    package mutating func pendingAdvance(
        to instant: Timestamp,
        for customer: String? = nil,
        atMost steps: Int = .max,
        parts: Int = .max
    ) {
        // After a loop, every further advance would report the same loop again.
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

    /// Processes the events that fell due before an operation. Reports a deadline that repeats endlessly.
    private mutating func catchUp(_ ledger: inout Ledger) {
        if !ledger.catchUp(atMost: 20_000) { complaints.append("endless deadlines before an operation") }
    }

    /// Runs a job in every account, in the order of the account numbers.
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

    /// The time of the next scheduled event in any account, with that account.
    package var nextDue: (Timestamp, Account)? {
        let ledger = ledger(of: [], for: .processDue, at: now)
        return accounts.values.compactMap { account in ledger.nextDue(of: account).map { ($0, account) } }
            .min { ($0.0, $0.1.id) < ($1.0, $1.1.id) }
    }

    /// The name of the customer to whom an account belongs.
    package func customer(_ id: AccountID) -> String? { accounts.values.first { $0.id == id }?.customer }

    /// The customer's transactions, in the order of the transaction history.
    package func history(_ customer: String) -> [Transaction] {
        rows.values.filter { $0.account == accounts[customer]?.id }.sorted { $0.change < $1.change }
    }

    private func ledger(of ids: Set<AccountID>, for command: Command, at instant: Timestamp) -> Ledger {
        let concerned = accounts.values.filter { ids.contains($0.id) }.sorted { $0.id < $1.id }
        return Ledger(
            accounts: concerned,
            transactions: command.transactions(from: concerned).compactMap { rows[$0] }.filter {
                ids.contains($0.account)
            },
            catalog: catalog,
            policy: policy,
            identifiers: Identifiers(reserved: nextIdentifier..<nextIdentifier + 1_000_000),
            at: instant,
            rule: rule
        )
    }

    /// Stores the result of the rules. Ids that the rules did not use are used for the next operation, so that two ways
    /// to pass the same time create the same ids.
    private mutating func keep(_ ledger: Ledger) {
        nextIdentifier += 1_000_000 - ledger.identifiers.remaining
        for changed in ledger.accounts.values { accounts[changed.customer] = changed }
        for change in ledger.transactionChanges { rows[change.after.id] = change.after }
        events += ledger.events
        notifications += ledger.notifications
    }
}
