import TillCore

/// What a test acts on: the rules alone, a shop on a store, or a server behind its API. `TestLanguage` has its words.
package protocol Backend: AnyObject, TestLanguage {
    /// Creates an account for a customer who has none.
    func open(_ customer: String, storefront: Storefront) async throws
    /// Runs a customer's command now, and returns its transaction. Creates the account of a new customer.
    @discardableResult
    func perform(_ command: Command, by customer: String) async throws -> Transaction?
    /// Runs a job in every account now, and waits for its end.
    func perform(_ work: Job.Work) async throws
    /// Changes a product of the catalog.
    func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws
    /// Advances the time and processes everything that falls due.
    func advance(to instant: Timestamp) async throws
    /// The account of a customer.
    func account(of customer: String) async throws -> Account?
    /// A customer's transactions in the order of the history.
    func transactions(of customer: String) async throws -> [Transaction]
}

extension Backend {
    /// The backend itself.
    package var backend: any Backend { self }

    /// Noon UTC of a day, or an instant.
    package func instant(_ date: String) -> Timestamp { Timestamp(day: date) }
}

/// The settings with which a backend is opened.
package struct BackendSettings: Sendable {
    /// Production or sandbox.
    package var environment: StoreEnvironment
    /// The products for sale.
    package var products: [Product]
    /// The settings of the rules.
    package var policy: Policy
    /// The time at the start.
    package var start: Timestamp

    /// Settings of a backend.
    package init(environment: StoreEnvironment, products: [Product], policy: Policy, start: Timestamp) {
        self.environment = environment
        self.products = products
        self.policy = policy
        self.start = start
    }
}
