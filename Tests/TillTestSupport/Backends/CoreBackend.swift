import TillCore

/// Runs the rules of TillCore alone, in memory.
package final class CoreBackend: Backend {
    /// The shop in memory, with its accounts and transactions.
    package private(set) var core: CoreShop
    private var jobs = 0

    /// Creates a shop without customers.
    package init(_ settings: BackendSettings) {
        core = CoreShop(
            in: settings.environment,
            selling: settings.products,
            policy: settings.policy,
            at: settings.start
        )
    }

    package func open(_ customer: String, storefront: Storefront) { core.open(customer, storefront: storefront) }

    package func perform(_ command: Command, by customer: String) throws -> Transaction? {
        try core.perform(command, by: customer).transactionChanges.last?.after
    }

    package func perform(_ work: Job.Work) {
        jobs += 1
        core.perform(Job(id: "job-\(jobs)", task: work))
    }

    package func change(_ product: String, _ change: (inout Product) -> Void) throws {
        guard let before = core.catalog.products[product] else { throw Refusal.unknownProduct(product) }
        core.catalog.put(before.with(change))
    }

    package func advance(to instant: Timestamp) { core.advance(to: instant) }

    package func account(of customer: String) -> Account? { core.accounts[customer] }

    package func transactions(of customer: String) -> [Transaction] { core.history(customer) }
}
