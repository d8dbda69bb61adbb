import TillCore
import TillShop
import TillStorage

/// One environment of a complete `Shop` with a database.
package final class ShopBackend: Backend, Sendable {
    /// The shop, with its data directory and its app.
    package let test: TestShop
    /// The App Store environment: production or sandbox.
    package let environment: StoreEnvironment
    /// The test's app in this environment.
    package var scope: AccountScope { AccountScope(environment: environment, app: TestShop.bundleID) }
    /// The environment's clock.
    package var clock: ClockName { ClockName(scope) }

    /// Creates the backend for one environment of an existing shop.
    package init(_ test: TestShop, in environment: StoreEnvironment) {
        self.test = test
        self.environment = environment
    }

    /// Opens a new shop whose clock is frozen.
    package convenience init(_ opening: BackendSettings, on engine: TestEngine) async throws {
        let policy = opening.policy
        var settings = Settings(policy)
        // Even on a busy machine, a webhook receiver answers within this time.
        settings.deliveryTimeout = 120
        let start = opening.start
        let test = try await TestShop(
            on: engine,
            selling: opening.products,
            settings: settings,
            now: start.milliseconds
        )
        self.init(test, in: opening.environment)
        try await test.shop.setup.updateRules(of: scope) {
            $0.rate = policy.rate
            $0.grace = policy.grace
            $0.refundRule = policy.refundRule
        }
        guard test.shop.registry.policy(of: scope) == policy else { throw PolicyNotSettable(policy: policy) }
        _ = try await test.shop.setClock(clock, .freeze(at: start))
    }

    package func open(_ customer: String, storefront: Storefront) async throws {
        _ = try await test.shop.openAccount(name(customer), Opening(storefront: storefront))
    }

    package func perform(_ command: Command, by customer: String) async throws -> Transaction? {
        try await test.shop.perform(command, by: name(customer), opening: Opening()).transaction
    }

    package func perform(_ work: Job.Work) async throws { _ = try await test.shop.jobRunner.start(work, in: scope) }

    package func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws {
        _ = try await test.shop.setup.updateCatalog(of: scope.app) { catalog in
            guard let before = catalog.products[product] else { throw Refusal.unknownProduct(product) }
            var catalog = catalog
            catalog.put(before.with(change))
            return catalog
        }
    }

    package func advance(to instant: Timestamp) async throws {
        _ = try await test.shop.advance(clock, .to(instant))
    }

    package func account(of customer: String) async throws -> Account? {
        try await test.shop.storage.account(
            of: CustomerName(AccountScope(environment: environment, app: scope.app), customer)
        )
    }

    package func transactions(of customer: String) async throws -> [Transaction] {
        guard let account = try await account(of: customer) else { return [] }
        return try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 10_000)).rows
    }

    private func name(_ customer: String) -> CustomerName { CustomerName(scope, customer) }
}

/// A policy with values that the settings of a shop cannot express.
struct PolicyNotSettable: Error {
    let policy: Policy
}

extension Settings {
    /// The server settings that give an environment this policy. Values of the policy that no server setting controls
    /// are ignored.
    package init(_ policy: Policy) {
        self.init(tokenChangeMovesHistory: policy.tokenChangeMovesHistory)
        sandboxRenewalCap = policy.renewalCap ?? 0
        keepsAnchorDay = policy.keepsAnchorDay
        keepsGraceDate = policy.keepsGraceDate
        commitmentsEverywhere = policy.commitmentsEverywhere
        extendsFirstPeriod = policy.extendsFirstPeriod
        extraFamilyNotifications = policy.extraFamilyNotifications
        refundWindowMinutes = Int(policy.refundWindow / 60_000)
        storefrontsAskingConsent = policy.storefrontsAskingConsent.sorted()
    }
}
