import TillCore
import TillStorage

/// Opens accounts of new customers.
extension Shop {
    /// An account for a new customer, which is not stored yet.
    func open(_ customer: CustomerName, _ opening: Opening, at now: Timestamp) async throws -> Account {
        var ids = try await identifiers.take(1)
        let scope = customer.scope
        let partition = Partition(environment: scope.environment, app: scope.app, customer: customer.customer)
        var account = Account(
            id: ids.account(in: partition),
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
        try await exclusivelyHere(customer.lockKey) {
            if let account = try await self.storage.account(of: customer) { return (account, false) }
            let clock = ClockName(customer.scope, own: opening.clock)
            if let instant { try self.check(instant, on: clock) }
            for _ in 0..<Self.maxAttempts {
                let writePrecondition = try self.writePrecondition()
                var account = try await self.open(customer, opening, at: instant ?? self.now(on: clock))
                account.version = 1
                let new = [AccountChange(account: account, before: nil)]
                switch await self.commits.commit(Change(accounts: new, writePrecondition: writePrecondition)) {
                case .success: return (account, true)
                case .failure(.preconditionFailed): try await self.cluster?.catchUp()
                case .failure(let failure):
                    if let account = try await self.storage.account(of: customer) { return (account, false) }
                    throw ShopBusy(failure)
                }
            }
            throw ShopBusy(reason: "other nodes changed the configuration \(Self.maxAttempts) times during the request")
        }
    }
}
