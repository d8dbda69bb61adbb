import TillCore

/// Runs a workload on the rules of TillCore alone, in memory.
package struct CoreUnderTest: SystemUnderTest {
    /// The order in which the system processes events while time passes.
    package enum Passing: Sendable {
        /// Each family advances separately, either in one advance or by this many deadlines at a time.
        case familyByFamily(steps: Int, parts: Int = .max)
        /// All events of the shop are processed in the order in which they fall due, each at its own instant.
        case asItFallsDue
    }

    private var shop: CoreShop
    private let passing: Passing

    /// Creates the shop of a workload, as it is at the start of the workload.
    ///
    /// - Parameter rule: The transition rule for subscriptions.
    package init(
        for workload: Workload,
        passing: Passing = .familyByFamily(steps: .max),
        rule: @escaping Transitions.Rule = Transitions.steps
    ) {
        shop = CoreShop(
            in: workload.environment,
            selling: SampleCatalog.simulation,
            policy: workload.policy,
            at: workload.start,
            rule: rule
        )
        self.passing = passing
        for customer in workload.customers { shop.open(customer.name, storefront: customer.storefront) }
    }

    /// Advances the clock.
    package mutating func advance(to instant: Timestamp, for customer: String?) {
        switch passing {
        case .asItFallsDue: shop.advance(to: instant)
        case .familyByFamily(let steps, let parts):
            shop.pendingAdvance(to: instant, for: customer, atMost: steps, parts: parts)
        }
    }

    /// Runs an operation.
    package mutating func perform(_ operation: Operation) -> Refusal? {
        switch operation {
        case .command(let command, let customer):
            do {
                try shop.perform(command, by: customer)
            } catch {
                return error
            }
        case .sell(let product, let job):
            shop.catalog.put(product)
            // Events that waited for this change of the product fall due now.
            shop.pendingAdvance(to: shop.now)
            if let job { shop.perform(job) }
        case .job(let job): shop.perform(job)
        case .grace(let grace): shop.policy.grace = grace
        case .nothing: break
        }
        return nil
    }

    /// Returns the complete state.
    package func observe() -> Observation {
        Observation(
            accounts: shop.accounts,
            rows: shop.rows,
            notifications: shop.notifications,
            catalog: shop.catalog,
            policy: shop.policy,
            now: shop.now,
            complaints: shop.complaints
        )
    }
}
