extension ControlOperation {
    /// A group of operations.
    public enum Tag: String, CaseIterable, Sendable {
        /// The server: its status, pruning, backups and TLS.
        case server
        /// Teams, apps, API keys and shared secrets.
        case setup
        /// Products, subscription groups and offers.
        case catalog
        /// Customers of an app, their payment methods and families.
        case customers
        /// Purchases and transactions.
        case purchases
        /// Subscriptions of customers.
        case subscriptions
        /// Refunds and refund requests.
        case refunds
        /// Clocks, and the events that fall due on them.
        case clocks
        /// Operations for many customers at once.
        case jobs
        /// The settings of an app's environment.
        case settings
        /// Endpoints, notifications and their delivery.
        case notifications
        /// Requests of an app's server, with explanations.
        case requests
        /// Certificates, OCSP and signed data for tests of verifiers.
        case certificates
        /// Faults that the server injects.
        case faults
        /// Snapshots, and the export and import of the whole state.
        case snapshots
        /// Tokens of the control API.
        case tokens
    }
}
