import TillCore

/// The system that a test runs against: the rules of TillCore alone, a `Shop` with a database, or a server behind its
/// API. `TestLanguage` defines the operations.
package protocol Backend: AnyObject, TestLanguage {
    /// Creates an account for a customer who has none.
    func open(_ customer: String, storefront: Storefront) async throws
    /// Runs a customer's command at the present time and returns its transaction. Creates the account of a new
    /// customer.
    @discardableResult
    func perform(_ command: Command, by customer: String) async throws -> Transaction?
    /// Runs a job in every account at the present time, and waits until the job has ended.
    func perform(_ work: Job.Work) async throws
    /// Changes a product of the catalog.
    func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws
    /// Advances the clock and processes everything that falls due on the way.
    func advance(to instant: Timestamp) async throws
    /// The account of a customer.
    func account(of customer: String) async throws -> Account?
    /// A customer's transactions, in the order of the transaction history.
    func transactions(of customer: String) async throws -> [Transaction]
}

extension Backend {
    /// A backend performs its own operations.
    package var backend: any Backend { self }

    /// Noon UTC of a day such as `2026-01-31`, or the exact instant of a text with a time.
    package func instant(_ date: String) -> Timestamp { Timestamp(day: date) }
}

/// The settings with which a backend is opened.
package struct BackendSettings: Sendable {
    /// The App Store environment: production or sandbox.
    package var environment: StoreEnvironment
    /// The products for sale.
    package var products: [Product]
    /// The policy of the rules, such as the grace period and the renewal rate.
    package var policy: Policy
    /// The time at which the backend opens.
    package var start: Timestamp

    /// Creates the settings of a backend.
    package init(environment: StoreEnvironment, products: [Product], policy: Policy, start: Timestamp) {
        self.environment = environment
        self.products = products
        self.policy = policy
        self.start = start
    }
}
