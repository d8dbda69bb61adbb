import TillCore

/// Compares the stored deadline of an account with the rules.
///
/// A deadline is stored when the account changes. So it may date from a time when a product was, or was not, for sale,
/// or when another renewal rate applied. That is not a fault: when the account is next processed, the deadline is
/// stored again.
struct DeadlineCheck {
    let catalog: Catalog
    let rules: EnvironmentSettings
    /// The settings of the servers that may have stored the deadline.
    var settings = [Settings()]

    /// What is wrong with a stored deadline, as a clause without a full stop; nil if it is correct.
    func fault(in account: Account, noted: Timestamp?) -> String? {
        for setting in settings {
            if noted == due(account, rules, setting) { return nil }
            for rate in [rules.rate] + RenewalRate.allCases {
                var rules = rules
                rules.rate = rate
                for isForSale in [nil, true, false] as [Bool?]
                where due(account, rules, setting, isForSale) == noted { return nil }
            }
        }
        func words(_ instant: Timestamp?) -> String { instant?.iso8601 ?? "never" }
        return "the next event is due at \(words(due(account, rules, settings[0]))), "
            + "but the stored deadline is \(words(noted))"
    }

    private func due(
        _ account: Account,
        _ rules: EnvironmentSettings,
        _ settings: Settings,
        _ isForSale: Bool? = nil
    ) -> Timestamp? {
        var catalog = catalog
        if let isForSale {
            for var product in catalog.products.values {
                product.isForSale = isForSale
                catalog.put(product)
            }
        }
        let ledger = Ledger(
            accounts: [account],
            catalog: catalog,
            policy: rules.policy(of: account.environment, under: settings),
            identifiers: Identifiers(reserved: 0..<0),
            at: account.lastEvent
        )
        return ledger.nextDue(of: account)
    }
}
