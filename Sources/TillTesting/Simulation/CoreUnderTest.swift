import TillCore

/// The rules alone, on a stage.
package struct CoreUnderTest: SystemUnderTest {
    /// How the stage lets time pass.
    package enum Passing: Sendable {
        /// Each family comes to the instant by itself, in one go or in so many steps at a time.
        case familyByFamily(steps: Int, parts: Int = .max)
        /// Everything in the shop happens in the order in which it falls due, each at its own instant.
        case asItFallsDue
    }

    private var stage: CoreStage
    private let passing: Passing

    /// The shop of a life at its start.
    ///
    /// - Parameter rule: what subscriptions become.
    package init(
        for workload: Workload,
        passing: Passing = .familyByFamily(steps: .max),
        rule: @escaping Transitions.Rule = Transitions.steps
    ) {
        stage = CoreStage(
            in: workload.environment,
            selling: SimulatedCatalog.products,
            policy: workload.policy,
            at: workload.start,
            rule: rule
        )
        self.passing = passing
        for customer in workload.customers { stage.open(customer.name, storefront: customer.storefront) }
    }

    /// Lets the stage's time pass.
    package mutating func advance(to instant: Timestamp, for customer: String?) {
        switch passing {
        case .asItFallsDue: stage.advance(to: instant)
        case .familyByFamily(let steps, let parts):
            stage.pendingAdvance(to: instant, for: customer, atMost: steps, parts: parts)
        }
    }

    /// Does something on the stage.
    package mutating func perform(_ operation: Operation) -> Refusal? {
        switch operation {
        case .command(let command, let customer):
            do {
                try stage.act(customer, command)
            } catch {
                return error
            }
        case .sell(let product, let job):
            stage.catalog.put(product)
            // What was waiting for the product is due now.
            stage.pendingAdvance(to: stage.now)
            if let job { stage.perform(job) }
        case .job(let job): stage.perform(job)
        case .grace(let grace): stage.policy.grace = grace
        case .nothing: break
        }
        return nil
    }

    /// All that lies on the stage.
    package func observe() -> Observation {
        Observation(
            accounts: stage.accounts,
            rows: stage.rows,
            notifications: stage.notifications,
            catalog: stage.catalog,
            policy: stage.policy,
            now: stage.now,
            complaints: stage.complaints
        )
    }
}
