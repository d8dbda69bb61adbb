import TillCore
import TillStorage

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

    var lockKey: String { "\(scope.environment.rawValue)/\(scope.app)/\(customer)" }
}

extension Storage {
    /// The account of a customer; nil if the customer has none.
    package func account(of customer: CustomerName) async throws -> Account? {
        let scope = customer.scope
        return try await account(environment: scope.environment, app: scope.app, customer: customer.customer)
    }
}

/// The properties of an account that is opened for a new customer.
package struct Opening: Sendable {
    /// The customer's storefront, which applies to purchases that name no other; nil for the catalog's storefront.
    package var storefront: Storefront?
    /// Whether the customer downloads the app and therefore has an app transaction.
    package var downloadsApp: Bool
    /// The `originalPlatform` of the app transaction; ignored if the customer does not download the app.
    package var platform: PurchasePlatform
    /// The original and current version of the app; ignored if the customer does not download the app.
    package var applicationVersion: String
    /// The name of the customer clock; nil for the environment's clock.
    package var clock: String?

    /// Creates the properties. By default the customer has the catalog's storefront and downloads version 1.0 on iOS.
    package init(
        storefront: Storefront? = nil,
        downloadsApp: Bool = true,
        platform: PurchasePlatform = .iOS,
        applicationVersion: String = "1.0",
        clock: String? = nil
    ) {
        self.storefront = storefront
        self.downloadsApp = downloadsApp
        self.platform = platform
        self.applicationVersion = applicationVersion
        self.clock = clock
    }
}
