import TillCore
import TillStorage

/// A customer of an app in an environment.
package struct CustomerName: Hashable, Sendable {
    /// The app and the environment in which the name is unique.
    package let scope: AccountScope
    /// The name that the operator chose.
    package let customer: String

    /// A customer of an app in an environment.
    package init(_ scope: AccountScope, _ customer: String) {
        self.scope = scope
        self.customer = customer
    }

    var lockKey: String { "\(scope.environment.rawValue)/\(scope.app)/\(customer)" }
}

/// How an account is opened for a customer who has none.
package struct Opening: Sendable {
    /// The customer's storefront unless a purchase has its own; nil is the catalog's.
    package var storefront: Storefront?
    /// Whether the customer downloads the app, and so has an app transaction.
    package var downloadsApp: Bool
    /// `originalPlatform` of the app transaction; unused without a download.
    package var platform: AppTransaction.Platform
    /// The original and present version of the app; unused without a download.
    package var applicationVersion: String
    /// A customer clock; nil is the environment's clock.
    package var clock: String?

    /// By default the customer shops in the catalog's storefront and downloads version 1.0 on iOS.
    package init(
        storefront: Storefront? = nil,
        downloadsApp: Bool = true,
        platform: AppTransaction.Platform = .iOS,
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
