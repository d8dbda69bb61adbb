import TillCore
import TillStorage

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

/// Opens accounts of new customers.
extension Shop {
    /// An account for a new customer, which is not stored yet.
    func open(_ customer: CustomerName, _ opening: Opening, at now: Timestamp) throws -> Account {
        var ids = try identifiers.take(1)
        let scope = customer.scope
        var account = Account(
            id: ids.account(in: customer.partition),
            environment: scope.environment,
            app: scope.app,
            customer: customer.customer,
            storefront: opening.storefront ?? registry.catalog(of: scope.app).storefront,
            at: now
        )
        account.clock = opening.clock
        if opening.downloadsApp {
            account.appTransaction = AppTransaction(
                originalPurchaseDate: now.wholeSecond,
                originalPlatform: opening.platform,
                originalApplicationVersion: opening.applicationVersion,
                applicationVersion: opening.applicationVersion
            )
        }
        return account
    }

    /// Opens an account for a customer without another operation. If the account exists, nothing changes.
    ///
    /// - Returns: the account, and whether this call opened it.
    package func openAccount(
        _ customer: CustomerName,
        _ opening: Opening,
        at instant: Timestamp? = nil
    ) async throws -> (account: Account, isNew: Bool) {
        var keys: Set<String> = [customer.lockKey]
        return try await transactor.transact("the account of \(customer.customer)", locking: &keys) { _ in
            if let account = try await storage.account(of: customer) { return .unchanged((account, false)) }
            let clock = ClockName(customer.scope, own: opening.clock)
            if let instant { try check(instant, on: clock) }
            var account = try open(customer, opening, at: instant ?? now(on: clock))
            account.version = 1
            let change = Change(accounts: [AccountChange(account: account, before: nil)])
            return .write(Draft(change: change, chain: signingChain), (account, true))
        }
    }
}
