import Foundation
import Testing
import TillCore
import TillShop
import TillStorage
import TillTestSupport

/// The law of the round trip (docs/client/import.md): a customer that is rebuilt from the answers of the App Store
/// Server API gives the same answers, and has the same future apart from facts that no answer shows.
@Suite("A customer that is rebuilt from the answers of the API is the same customer")
struct ImportLawTests {
    /// The number of customers: `TILL_IMPORT_LIVES`, or 300 in `make soak`, or 16.
    private static let lives: Int = {
        let environment = ProcessInfo.processInfo.environment
        return environment["TILL_IMPORT_LIVES"].flatMap { Int($0) } ?? (environment["TILL_SOAK"] == nil ? 16 : 300)
    }()

    @Test("Random lives give the same answers after an import, and a year later")
    func law() async throws {
        let (lives, begun) = (Self.lives, ContinuousClock.now)
        let results = try await withThrowingTaskGroup(of: LawResult.self) { group in
            for part in 0..<2 {
                group.addTask {
                    var result = LawResult()
                    var seed = UInt64(1 + part)
                    while result.lives < (lives + 1) / 2 {
                        try await RoundTrip.run(seed: seed, into: &result)
                        seed += 2
                    }
                    return result
                }
            }
            return try await group.reduce(into: LawResult()) { $0.add($1) }
        }
        let hidden = results.hidden.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        print(
            "\(results.lives) lives in \(ContinuousClock.now - begun); hidden facts: \(hidden.joined(separator: ", "))"
        )
        #expect(results.lives >= lives)
        #expect(results.transactions > lives, "the lives have too few transactions to prove anything")
        #expect(results.failures.isEmpty, "\(results.failures.count) failed; \(results.failures.first ?? "")")
    }
}

/// What the law found.
struct LawResult: Sendable {
    var lives = 0
    var transactions = 0
    /// How many lives differed in a fact that no answer shows.
    var hidden: [String: Int] = [:]
    var failures: [String] = []

    mutating func add(_ other: LawResult) {
        lives += other.lives
        transactions += other.transactions
        hidden.merge(other.hidden, uniquingKeysWith: +)
        failures += other.failures
    }
}

/// One shop in which a workload was lived, and another in which its customers are rebuilt.
private struct RoundTrip {
    let seed: UInt64
    let workload: Workload
    let source: TestShop
    let target: TestShop
    let scope: AccountScope

    /// Lives the workload of a seed, rebuilds its customers, compares them, lives on for a year, and compares again.
    static func run(seed: UInt64, into result: inout LawResult) async throws {
        let workload = WorkloadGenerator.workload(of: seed)
        var run = SimulationRun(of: workload, in: try await ShopUnderTest(for: workload))
        await run.run(at: .advances)
        if let failure = run.failure { return result.failures.append(failure) }
        var system = run.system
        let trip = RoundTrip(
            seed: seed,
            workload: workload,
            source: system.test,
            target: try await target(of: system),
            scope: system.scope
        )
        var imported: [Imported] = []
        for customer in workload.customers {
            if let one = try await trip.rebuild(customer.name, into: &result) { imported.append(one) }
        }
        let later = workload.end.advanced(milliseconds: 365 * workload.day)
        try await system.advance(to: later, for: nil)
        for one in imported {
            _ = try await trip.target.shop.advance(ClockName(trip.scope, own: one.customer), .to(later))
            let answers = try await trip.both(one.id)
            try trip.compare(one.customer, "a year later", answers, known: one.known, into: &result)
        }
    }

    /// A shop with the same products and settings, and without customers.
    private static func target(of system: ShopUnderTest) async throws -> TestShop {
        let shop = system.test.shop
        let target = try await TestShop(
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
        let facts = HiddenFacts(
            of: original,
            onto: rebuilt,
            ids: Dictionary(pairs) { first, _ in first },
            rows: Dictionary(own.map { ($0.id, $0) }) { first, _ in first }
        )
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
