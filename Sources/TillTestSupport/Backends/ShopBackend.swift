import TillCore
import TillShop
import TillStorage

/// An environment of a complete shop on a store.
package final class ShopBackend: Backend, Sendable {
    /// The shop.
    package let test: TestShop
    /// Production or sandbox.
    package let environment: StoreEnvironment
    /// The app in the environment.
    package var scope: AccountScope { AccountScope(environment: environment, app: TestShop.bundleID) }
    /// The environment's clock.
    package var clock: ClockName { ClockName(scope) }

    /// An environment of a shop.
    package init(_ test: TestShop, in environment: StoreEnvironment) {
        self.test = test
        self.environment = environment
    }

    /// A new shop on a frozen clock.
    package convenience init(_ opening: BackendSettings, on engine: TestEngine) async throws {
        let policy = opening.policy
        var settings = Settings(policy)
        // Longer than a busy machine takes to answer.
        settings.deliveryTimeout = 120
        let start = opening.start
        let test = try await TestShop(
            on: engine,
            selling: opening.products,
            settings: settings,
            now: start.milliseconds
        )
        self.init(test, in: opening.environment)
        try await test.shop.updateRules(of: scope) {
            $0.rate = policy.rate
            $0.grace = policy.grace
            $0.refundRule = policy.refundRule
        }
        guard test.shop.policy(of: scope) == policy else { throw PolicyNotSettable(policy: policy) }
        _ = try await test.shop.setClock(clock, .freeze(at: start))
    }

    package func open(_ customer: String, storefront: Storefront) async throws {
        _ = try await test.shop.openAccount(name(customer), Opening(storefront: storefront))
    }

    package func perform(_ command: Command, by customer: String) async throws -> Transaction? {
        try await test.shop.perform(command, by: name(customer), opening: Opening()).transaction
    }

    package func perform(_ work: Job.Work) async throws { _ = try await test.shop.startJob(work, in: scope) }

    package func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws {
        _ = try await test.shop.updateCatalog(of: scope.app) { catalog in
            guard let before = catalog.products[product] else { throw Refusal.unknownProduct(product) }
            var catalog = catalog
            catalog.put(before.with(change))
            return catalog
        }
    }

    package func advance(to instant: Timestamp) async throws {
        _ = try await test.shop.advance(clock, .to(instant), settling: false)
    }

    package func account(of customer: String) async throws -> Account? {
        try await test.shop.storage.account(environment: environment, app: scope.app, customer: customer)
    }

    package func transactions(of customer: String) async throws -> [Transaction] {
        guard let account = try await account(of: customer) else { return [] }
        return try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 10_000)).rows
    }

    private func name(_ customer: String) -> CustomerName { CustomerName(scope, customer) }
}

/// A policy that has settings that a shop does not have.
struct PolicyNotSettable: Error {
    let policy: Policy
}

extension Settings {
    /// The settings of a server that give its environments a policy, as far as they are settings of the server.
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
