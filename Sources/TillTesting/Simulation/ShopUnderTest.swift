import Synchronization
import TillCore
import TillShop
import TillStorage

/// A complete shop on a store: operations and advances take the same path as in a server.
package struct ShopUnderTest: SystemUnderTest {
    private let test: TestShop
    private let scope: AccountScope
    private let customers: [String]
    private let notificationLog = NotificationLog()
    private let endpoint: UnreliableEndpoint

    private var clock: ClockName { ClockName(scope) }

    /// The shop of a workload at its start. Settings that only the rules have keep the shop's values.
    package init(for workload: Workload, on engine: TestEngine = .sqlite) async throws {
        let policy = workload.policy
        var settings = Settings(tokenChangeMovesHistory: policy.tokenChangeMovesHistory)
        settings.sandboxRenewalCap = policy.renewalCap ?? 0
        settings.keepsAnchorDay = policy.keepsAnchorDay
        settings.keepsGraceDate = policy.keepsGraceDate
        settings.commitmentsEverywhere = policy.commitmentsEverywhere
        settings.extendsFirstPeriod = policy.extendsFirstPeriod
        settings.extraFamilyNotifications = policy.extraFamilyNotifications
        settings.refundWindowMinutes = Int(policy.refundWindow / 60_000)
        settings.storefrontsAskingConsent = policy.storefrontsAskingConsent.sorted()
        test = try await TestShop(
            on: engine,
            selling: SimulatedCatalog.products,
            settings: settings,
            now: workload.start.milliseconds
        )
        scope = AccountScope(environment: workload.environment, app: TestShop.bundleID)
        customers = workload.customers.map(\.name)
        let shop = test.shop
        endpoint = try await UnreliableEndpoint(for: test, seed: workload.seed)
        let url = endpoint.url
        try await shop.updateRules(of: scope) {
            $0.endpoints = [EndpointRecord(url: url)]
            $0.rate = policy.rate
            $0.grace = policy.grace
            $0.refundRule = policy.refundRule
        }
        _ = try await shop.setClock(ClockName(scope), .freeze(at: workload.start))
        // The test's real-time clock is stopped, so that this clock moves only when it is advanced, like a frozen one.
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

    /// Lets the shop's clock advance.
    package mutating func advance(to instant: Timestamp, for customer: String?) async throws {
        guard instant > test.shop.now(on: clock) else { return }
        // Customer clocks show the same time, so that all customers of a workload share one timeline.
        for own in test.shop.clocks.own(in: scope) {
            _ = try await test.shop.advance(ClockName(scope, own: own), .to(instant), settling: false)
        }
        _ = try await test.shop.advance(clock, .to(instant), settling: false)
    }

    /// Runs an operation in the shop.
    package mutating func perform(_ operation: Operation) async throws -> Refusal? {
        switch operation {
        case .command(let command, let customer):
            try await makeClock(for: command)
            do {
                _ = try await test.shop.perform(command, by: CustomerName(scope, customer))
            } catch let refusal as Refusal {
                return refusal
            }
        case .sell(let product, let job):
            _ = try await test.shop.updateCatalog(of: scope.app) { catalog in
                var catalog = catalog
                catalog.put(product)
                return catalog
            }
            // Events that waited for the product are due now.
            for customer in customers {
                _ = try await test.shop.perform(.processDue, by: CustomerName(scope, customer))
            }
            if let job { _ = try await test.shop.startJob(job.task, in: scope, id: job.id) }
        case .job(let job): _ = try await test.shop.startJob(job.task, in: scope, id: job.id)
        case .grace(let grace): try await test.shop.updateRules(of: scope) { $0.grace = grace }
        case .nothing: break
        }
        return nil
    }

    /// Creates the clock that a customer is assigned to.
    private func makeClock(for command: Command) async throws {
        guard case .useClock(let own?) = command, test.shop.clock(ClockName(scope, own: own)) == nil else { return }
        try await test.shop.createClock(ClockName(scope, own: own), .frozen(at: test.shop.now(on: clock)))
    }

    /// The delivery attempts, once everything that is due on every clock has been tried.
    package func attempts() async throws -> [String: [NotificationAttempts]] {
        let storage = test.shop.storage
        for name in [clock] + test.shop.clocks.own(in: scope).map({ ClockName(scope, own: $0) }) {
            let end = ContinuousClock.now + .seconds(300)
            while try await storage.pendingDeliveries(on: name, until: test.shop.now(on: name)) > 0 {
                guard ContinuousClock.now < end else { throw DeliveriesPending(clock: name.key) }
                try await Task.sleep(for: .milliseconds(2))
            }
        }
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

    /// The complete stored state.
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
            policy: test.shop.policy(of: scope),
            now: test.shop.now(on: clock)
        )
    }
}

/// Notifications in the order of creation.
private final class NotificationLog: Sendable {
    private let notifications = Mutex<[Notification]>([])

    var all: [Notification] { notifications.withLock { $0 } }

    func add(_ more: [Notification]) { notifications.withLock { $0 += more } }
}

/// Deliveries that have been due for minutes without an attempt.
struct DeliveriesPending: Error {
    /// The key of the clock on which they are due.
    let clock: String
}
