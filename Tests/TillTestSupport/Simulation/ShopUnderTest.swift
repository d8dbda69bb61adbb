import Synchronization
import TillCore
import TillShop
import TillStorage

/// Runs a workload on a complete `Shop` with a database. Operations and advances use the same functions as in a server.
package struct ShopUnderTest: SystemUnderTest {
    /// The shop.
    package let test: TestShop
    /// The app and the environment of the workload.
    package let scope: AccountScope
    private let customers: [String]
    private let notificationLog = NotificationLog()
    private let endpoint: UnreliableEndpoint

    private var clock: ClockName { ClockName(scope) }

    /// Opens the shop of a workload at its start. Policy values that no server setting controls keep their defaults.
    package init(for workload: Workload, on engine: TestEngine = .sqlite) async throws {
        let policy = workload.policy
        test = try await TestShop(
            on: engine,
            selling: SampleCatalog.simulation,
            settings: Settings(policy),
            now: workload.start.milliseconds
        )
        scope = AccountScope(environment: workload.environment, app: TestShop.bundleID)
        customers = workload.customers.map(\.name)
        let shop = test.shop
        endpoint = try await UnreliableEndpoint(for: test, seed: workload.seed)
        let url = endpoint.url
        try await shop.setup.updateRules(of: scope) {
            $0.endpoints = [EndpointRecord(url: url)]
            $0.rate = policy.rate
            $0.grace = policy.grace
            $0.refundRule = policy.refundRule
        }
        _ = try await shop.setClock(ClockName(scope), .freeze(at: workload.start))
        // A `TestShop` never moves its real-time clock itself. A clock with speed 1 therefore moves only when it is
        // advanced, like a frozen clock.
        if workload.seed.isMultiple(of: 2) { _ = try await shop.setClock(ClockName(scope), .run(speed: 1)) }
        for customer in workload.customers {
            _ = try await shop.openAccount(
                CustomerName(scope, customer.name),
                Opening(storefront: customer.storefront, downloadsApp: false)
            )
        }
        let notificationLog = notificationLog
        shop.signals.add(Signals.Listener(notifications: { notificationLog.add($0) }))
    }

    /// Advances the clock of the environment and all customer clocks.
    package mutating func advance(to instant: Timestamp, for customer: String?) async throws {
        guard instant > test.shop.now(on: clock) else { return }
        // All customers of a workload share one timeline, so customer clocks show the same time as the environment's
        // clock.
        for own in test.shop.clocks.own(in: scope) {
            _ = try await test.shop.advance(ClockName(scope, own: own), .to(instant))
        }
        _ = try await test.shop.advance(clock, .to(instant))
    }

    /// Runs an operation in the shop.
    package mutating func perform(_ operation: Operation) async throws -> Refusal? {
        switch operation {
        case .command(let command, let customer):
            if case .update(let wanted) = command, let own = wanted.clock {
                // An attempt that is overdue when a customer moves gets its date from the new clock.
                try await settle()
                try await makeClock(own.name)
            }
            do {
                _ = try await test.shop.perform(command, by: CustomerName(scope, customer))
            } catch let refusal as Refusal {
                return refusal
            }
        case .sell(let product, let job):
            _ = try await test.shop.setup.updateCatalog(of: scope.app) { catalog in
                var catalog = catalog
                catalog.put(product)
                return catalog
            }
            // Events that waited for this change of the product fall due now.
            for customer in customers {
                _ = try await test.shop.perform(.processDue, by: CustomerName(scope, customer))
            }
            if let job { _ = try await test.shop.jobRunner.start(job.task, in: scope, id: job.id) }
        case .job(let job): _ = try await test.shop.jobRunner.start(job.task, in: scope, id: job.id)
        case .grace(let grace): try await test.shop.setup.updateRules(of: scope) { $0.grace = grace }
        case .nothing: break
        }
        return nil
    }

    /// Creates a customer clock, unless it exists.
    private func makeClock(_ own: String?) async throws {
        guard let own, test.shop.clock(ClockName(scope, own: own)) == nil else { return }
        try await test.shop.createClock(ClockName(scope, own: own), .frozen(at: test.shop.now(on: clock)))
    }

    /// Waits until every attempt that is due on any clock was made.
    private func settle() async throws {
        for name in [clock] + test.shop.clocks.own(in: scope).map({ ClockName(scope, own: $0) }) {
            let end = ContinuousClock.now + .seconds(300)
            while try await test.shop.storage.pendingDeliveries(on: name, until: test.shop.now(on: name)) > 0 {
                guard ContinuousClock.now < end else { throw DeliveriesPending(clock: name.key) }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }

    /// Returns the delivery attempts, once every attempt that is due on any clock was made.
    package func attempts() async throws -> [String: [NotificationAttempts]] {
        try await settle()
        let storage = test.shop.storage
        let entries = try await storage.notifications(NotificationQuery(scope: scope, limit: 100_000))
        let deliveries = try await storage.deliveries(of: entries.map(\.id))
        var names: [AccountID: String] = [:]
        for account in try await storage.accounts(of: scope, after: nil, limit: 100) {
            names[account.id] = account.customer
        }
        var attempts: [String: [NotificationAttempts]] = [:]
        for entry in entries.sorted(by: { $0.id < $1.id }) {
            guard let name = entry.account.flatMap({ names[$0] }) else { continue }
            let words = [entry.type, entry.subtype].compactMap(\.self).joined(separator: "/")
            let delivery = deliveries[entry.id]?.first
            attempts[name, default: []]
                .append(NotificationAttempts(words: words, attempts: delivery?.attempts ?? [], next: delivery?.due))
        }
        return attempts
    }

    /// Returns the complete stored state.
    package func observe() async throws -> Observation {
        var accounts: [String: Account] = [:]
        var rows: [TransactionID: Transaction] = [:]
        for account in try await test.shop.storage.accounts(of: scope, after: nil, limit: 100) {
            accounts[account.customer] = account
            let page = try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 100_000))
            for row in page.rows { rows[row.id] = row }
        }
        return Observation(
            accounts: accounts,
            rows: rows,
            notifications: notificationLog.all,
            catalog: test.shop.registry.catalog(of: scope.app),
            policy: test.shop.registry.policy(of: scope),
            now: test.shop.now(on: clock)
        )
    }
}

/// The notifications, in the order of their creation.
private final class NotificationLog: Sendable {
    private let notifications = Mutex<[Notification]>([])

    var all: [Notification] { notifications.withLock { $0 } }

    func add(_ more: [Notification]) { notifications.withLock { $0 += more } }
}

/// A delivery had no attempt for minutes, although it was due.
struct DeliveriesPending: Error {
    /// The key of the clock on which the delivery is due.
    let clock: String
}
