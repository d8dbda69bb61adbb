import TillCore
import TillShop
import TillStorage
import TillTestSupport

/// What the law found.
struct LawResult: Sendable {
    var lives = 0
    var transactions = 0
    /// How many lives differed in a fact that no answer shows.
    var hidden: [HiddenFact: Int] = [:]
    var failures: [String] = []

    mutating func add(_ other: LawResult) {
        lives += other.lives
        transactions += other.transactions
        hidden.merge(other.hidden, uniquingKeysWith: +)
        failures += other.failures
    }
}

/// One shop in which a workload was lived, and another in which its customers are rebuilt.
struct RoundTrip {
    let seed: UInt64
    let workload: Workload
    let source: TestShop
    let target: TestShop
    let scope: AccountScope

    /// Lives the workload of a seed, rebuilds its customers, compares them, lives on for a year, and compares again.
    static func run(seed: UInt64, on engine: TestEngine, into result: inout LawResult) async throws {
        let workload = WorkloadGenerator.workload(of: seed)
        var run = SimulationRun(of: workload, in: try await ShopUnderTest(for: workload, on: engine))
        await run.run(at: .advances)
        if let failure = run.failure { return result.failures.append(failure) }
        var system = run.system
        let trip = RoundTrip(
            seed: seed,
            workload: workload,
            source: system.test,
            target: try await target(of: system, on: engine),
            scope: system.scope
        )
        var imported: [Imported] = []
        for customer in workload.customers {
            if let one = try await trip.rebuild(customer.name, into: &result) { imported.append(one) }
        }
        try await trip.liveOn(&system, imported)
        for one in imported {
            let answers = try await trip.both(one.id)
            try trip.compare(one.customer, "a year later", answers, known: one.known, into: &result)
        }
    }

    /// A year in both shops, in which cards are declined, a price rises and the grace period changes.
    private func liveOn(_ system: inout ShopUnderTest, _ imported: [Imported]) async throws {
        let causes: [(days: Int64, cause: Cause)] = [
            (40, .card(.declinedForRenewals)), (75, .card(.accepted)), (110, .price), (160, .grace),
            (200, .card(.declinedForRenewals)), (290, .card(.accepted)), (365, .none),
        ]
        for (days, cause) in causes {
            let instant = workload.end.advanced(milliseconds: days * workload.day)
            try await system.advance(to: instant, for: nil)
            for one in imported {
                _ = try await target.shop.advance(ClockName(scope, own: one.customer), .to(instant))
            }
            _ = try await target.shop.advance(ClockName(scope), .to(instant))
            for shop in [source.shop, target.shop] { try await cause.happen(in: shop, scope, imported.map(\.customer)) }
        }
    }

    private enum Cause {
        case none
        case card(Card)
        case price
        case grace

        func happen(in shop: Shop, _ scope: AccountScope, _ customers: [String]) async throws {
            switch self {
            case .none: break
            case .card(let card):
                for customer in customers {
                    _ = try await shop.perform(.useCard(card), by: CustomerName(scope, customer))
                }
            case .price:
                for id in ["gold.month", "silver.month", "news.week"] {
                    guard var product = shop.registry.catalog(of: scope.app).products[id] else { continue }
                    product.prices = product.prices.times(130)
                    let raise = PriceRaise(productID: id, prices: product.prices, consent: .automatic)
                    let changed = product
                    _ = try await shop.setup.updateCatalog(of: scope.app) { catalog in
                        var catalog = catalog
                        catalog.put(changed)
                        return catalog
                    }
                    _ = try await shop.jobRunner.start(.raisePrice(raise), in: scope)
                }
            case .grace:
                try await shop.setup.updateRules(of: scope) { $0.grace = $0.grace == nil ? GracePeriod(days: 16) : nil }
            }
        }
    }

    /// A shop with the same products and settings, and without customers.
    private static func target(of system: ShopUnderTest, on engine: TestEngine) async throws -> TestShop {
        let shop = system.test.shop
        let target = try await TestShop(
            on: engine,
            settings: shop.settings,
            now: shop.now(in: system.scope).milliseconds
        )
        let catalog = shop.registry.catalog(of: system.scope.app)
        _ = try await target.shop.setup.updateCatalog(of: system.scope.app) { _ in catalog }
        let rules = shop.registry.rules(of: system.scope)
        try await target.shop.setup.updateRules(of: system.scope) {
            $0 = rules
            $0.endpoints = []
        }
        _ = try await target.shop.setClock(ClockName(system.scope), .freeze(at: shop.now(in: system.scope)))
        return target
    }

    private struct Imported {
        let customer: String
        let id: String
        let known: Set<String>
    }

    /// Imports a customer; nil for one without purchases.
    private func rebuild(_ customer: String, into result: inout LawResult) async throws -> Imported? {
        let name = CustomerName(scope, customer)
        guard let original = try await source.shop.storage.account(of: name), original.rowCount > 0 else { return nil }
        result.lives += 1
        result.transactions += Int(original.rowCount)
        let rows = try await Self.rows(of: original, in: source)
        let id = original.shownID
        let orders = Set(rows.compactMap(\.shownOrderID)).sorted()
        let before = try await APIAnswers(of: id, orders: orders, from: source, in: scope.environment)
        let report = try await target.shop.importCustomer(
            name,
            from: try before.document(),
            clockName: customer,
            isAnonymous: false
        )
        for finding in report.quarantined {
            result.failures.append("\(self) \(customer): quarantined \(finding.subject): \(finding.words)")
        }
        let after = try await APIAnswers(of: id, orders: orders, from: target, in: scope.environment)
        try compare(customer, "after the import", (before, after), known: nil, into: &result)
        try await copyHiddenFacts(of: original, rows, into: &result)
        return Imported(customer: customer, id: id, known: try before.ids())
    }

    private static func rows(of account: Account, in test: TestShop) async throws -> [Transaction] {
        try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 100_000)).rows
    }

    private func copyHiddenFacts(of original: Account, _ rows: [Transaction], into result: inout LawResult) async throws
    {
        let storage = target.shop.storage
        guard let rebuilt = try await storage.account(of: original.customerName) else { return }
        let own = try await Self.rows(of: rebuilt, in: target)
        let shown = Dictionary(own.map { ($0.shownID, $0.id) }) { first, _ in first }
        let pairs = rows.compactMap { row in shown[row.shownID].map { (row.id, $0) } }
        let byID = Dictionary(own.map { ($0.id, $0) }) { first, _ in first }
        var facts = HiddenFacts(
            of: original,
            onto: rebuilt,
            ids: Dictionary(pairs) { first, _ in first },
            rows: byID,
            catalog: target.shop.registry.catalog(of: scope.app),
            policy: target.shop.registry.policy(of: scope),
            at: workload.end
        )
        for row in rows {
            if let rebuilt = shown[row.shownID].flatMap({ byID[$0] }) { facts.compare(row, rebuilt) }
        }
        for name in facts.copied { result.hidden[name, default: 0] += 1 }
        for words in facts.unexplained { result.failures.append("\(self) \(original.customer): \(words)") }
        var account = facts.account
        account.version += 1
        let ledger = Ledger(
            accounts: [account],
            catalog: target.shop.registry.catalog(of: scope.app),
            policy: target.shop.registry.policy(of: scope),
            identifiers: Identifiers(reserved: 0..<0),
            at: workload.end
        )
        let change = AccountChange(account: account, before: account.version - 1, nextDue: ledger.nextDue(of: account))
        try await storage.commit([Change(accounts: [change])])[0].get()
    }

    private func both(_ id: String) async throws -> (APIAnswers, APIAnswers) {
        (
            try await APIAnswers(of: id, from: source, in: scope.environment),
            try await APIAnswers(of: id, from: target, in: scope.environment)
        )
    }

    private func compare(
        _ customer: String,
        _ moment: String,
        _ answers: (APIAnswers, APIAnswers),
        known: Set<String>?,
        into result: inout LawResult
    ) throws {
        let theirs = try answers.0.lines(known: known, leavesOutCopies: known != nil)
        let mine = try answers.1.lines(known: known, leavesOutCopies: known != nil)
        guard theirs != mine else { return }
        let place = zip(theirs, mine).enumerated().first { $0.element.0 != $0.element.1 }?.offset
        let first = place ?? min(theirs.count, mine.count)
        let lines = [theirs, mine].map { $0.indices.contains(first) ? $0[first] : "nothing" }
        result.failures.append("\(self) \(customer) \(moment), line \(first):\n  \(lines[0])\n  \(lines[1])")
    }
}

extension RoundTrip: CustomStringConvertible {
    var description: String { "seed \(seed) (\(scope.environment), \(workload.policy.rate.rawValue))" }
}
