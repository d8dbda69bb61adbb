extension ControlOperation {
    /// A group of operations.
    public enum Tag: String, CaseIterable, Sendable {
        /// The server: its status, tokens, certificates, TLS, backups, snapshots, and export and import of its state.
        case server
        /// Teams, apps, API keys, shared secrets, and the settings of an app's environment.
        case setup
        /// Products, subscription groups and offers.
        case catalog
        /// Customers of an app, their payment methods and families.
        case customers
        /// Purchases, transactions and refunds.
        case purchases
        /// Subscriptions of customers, and operations for many customers at once.
        case subscriptions
        /// Clocks, and the events that fall due on them.
        case clocks
        /// Endpoints, notifications and their delivery.
        case notifications
        /// Tests of a backend: refused requests with explanations, faults, and signed data that a backend must refuse.
        case testing
    }
}
