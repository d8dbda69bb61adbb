import TillControl
import TillCore
import TillShop
import TillStorage

/// Operations on the customers of an app and environment.
extension ControlAPI {
    var customerRoutes: [ControlRoute] {
        [
            ControlRoute(ListCustomers.self) { call in
                let page = try await accounts(of: try call.scope(), after: call.after, limit: call.limit ?? 50)
                return CustomerList(
                    customers: page.accounts.map { info(of: $0) },
                    damaged: page.damaged,
                    next: page.next
                )
            },
            ControlRoute(CreateCustomer.self) { call in
                let customer = try ControlExchange.checked(newCustomer: call.customer)
                let new = Opening(
                    storefront: call.storefront,
                    downloadsApp: call.downloadsApp ?? true,
                    platform: call.platform ?? .iOS,
                    applicationVersion: call.applicationVersion ?? "1.0"
                )
                let name = CustomerName(try call.scope(), customer)
                let (account, isNew) = try await opening(new, of: name, call.request) {
                    try await shop.openAccount(name, $0, at: call.at)
                }
                call.answersUnchanged(!isNew)
                var answer = info(of: account)
                answer.created = isNew ? true : nil
                return answer
            },
            ControlRoute(GetCustomer.self) { info(of: try await $0.account()) },
            ControlRoute(UpdateCustomer.self) { try await update($0) },
            // Deleting a clock waits until no other operation runs.
            ControlRoute(EraseCustomer.self, waitsForRestore: false) { call in
                let isDryRun = call.dryRun ?? false
                // A snapshot can contain all apps.
                if call.removeSnapshots == true {
                    try Principal.current?.check(.operate, for: "removeSnapshots", of: nil)
                }
                let customer = try call.customerName()
                let erased = try await shop.gate.shared {
                    try await shop.eraseCustomer(
                        customer,
                        removingSnapshots: call.removeSnapshots ?? false,
                        isDryRun: isDryRun
                    )
                }
                if !isDryRun, let clock = erased.clock { try await shop.deleteClock(ofImport: clock) }
                return ErasureInfo(erased, of: customer.customer, isDryRun: isDryRun)
            },
        ]
    }

    private func update(_ call: ControlCall<UpdateCustomer>) async throws -> CustomerChange {
        let account = try await call.account()
        let update = AccountUpdate(
            card: call.card,
            asksToBuy: call.asksToBuy,
            clock: call.clock.map { $0.isEmpty ? .ofEnvironment : .own($0) }
        )
        guard update != AccountUpdate() else {
            throw ControlError.bad("bad_update", "Give at least one of card, asksToBuy and clock.", path: "$")
        }
        let clock = ClockName(try call.scope(), own: update.clock?.name)
        if clock.own != nil { try shop.settings.checkMayMove(clock) }
        try check(clock)
        return customerChange(try await perform(.update(update), by: account, at: call.at))
    }

    /// A page of accounts.
    struct AccountPage {
        let accounts: [Account]
        /// The reasons why accounts of the page cannot be read; nil if there are none.
        let damaged: [String]?
        /// The value of `after` for the next page; nil on the last page.
        let next: String?
    }

    /// The accounts after a position.
    func accounts(of scope: AccountScope, after text: String?, limit: Int) async throws -> AccountPage {
        let after = try ControlError.position(text).map { AccountID($0[0]) }
        let found = try await shop.storage.storedAccounts(of: scope, after: after, limit: limit + 1)
        let page = found.prefix(limit)
        let damaged = page.compactMap(\.damage).map { "\($0.description.capitalizedFirst)." }
        return AccountPage(
            accounts: page.compactMap(\.account),
            damaged: damaged.isEmpty ? nil : damaged,
            next: found.count > limit ? found[limit - 1].id.wireForm : nil
        )
    }

    /// A customer as in answers of the control API.
    func info(of account: Account) -> CustomerInfo {
        CustomerInfo(
            customer: account.customer,
            appTransactionId: account.shownID,
            storefront: account.storefront,
            hasAppTransaction: account.appTransaction != nil,
            card: account.card,
            asksToBuy: account.asksToBuy,
            heldPurchases: account.heldPurchases.count,
            refundRequests: account.refundRequests.count,
            transactions: Int(account.rowCount),
            owned: account.productsOwned.sorted(),
            subscriptions: account.heldSubscriptions.map { info(of: $0, account) },
            family: account.family?.name,
            clock: account.clock
        )
    }
}

extension ErasureInfo {
    fileprivate init(_ erased: ErasedCustomer, of customer: String, isDryRun: Bool) {
        self.init(
            customer: customer,
            dryRun: isDryRun,
            transactions: erased.belongings.transactions,
            notificationsErased: erased.belongings.notifications,
            deliveries: erased.belongings.deliveries,
            requestLogEntries: erased.requestLogEntries,
            faults: erased.faults,
            family: erased.family,
            notifications: erased.notifications.map { Notice($0.type, $0.subtype).words },
            snapshots: erased.snapshots,
            removedSnapshots: erased.removedSnapshots
        )
    }
}
