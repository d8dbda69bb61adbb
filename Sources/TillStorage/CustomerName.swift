import TillCore

/// An app in one environment.
package struct AccountScope: Hashable, Sendable {
    /// The environment. A customer of one environment is unknown in the other.
    package let environment: StoreEnvironment
    /// The app's bundle identifier.
    package let app: String

    /// An app in one environment.
    package init(environment: StoreEnvironment, app: String) {
        self.environment = environment
        self.app = app
    }
}

/// A customer of an app in an environment.
package struct CustomerName: Hashable, Sendable {
    /// The app and the environment in which the name is unique.
    package let scope: AccountScope
    /// The name that the operator chose.
    package let customer: String

    /// Names a customer of an app in an environment.
    package init(_ scope: AccountScope, _ customer: String) {
        self.scope = scope
        self.customer = customer
    }

    /// The partition of the customer's account.
    package var partition: Partition {
        Partition(environment: scope.environment, app: scope.app, customer: customer)
    }
}

extension Account {
    /// The customer's app and environment.
    package var scope: AccountScope { AccountScope(environment: environment, app: app) }

    /// The customer.
    package var customerName: CustomerName { CustomerName(scope, customer) }
}
