import TillCore
import TillStorage

/// Imports a customer of another App Store server (docs/client/import.md).
extension Shop {
    /// Creates an account from the answers of another server. The account, its transactions and the products that the
    /// catalog lacks are written in one database transaction.
    ///
    /// - Parameters:
    ///   - bytes: the document with the answers (`SourceDocument`).
    ///   - clockName: the name of the new clock of the customer, which is frozen at the time of the answers.
    ///   - isAnonymous: whether ids, tokens and order ids of the source are replaced.
    /// - Throws: `ImportRefused`, or `ClockRefused` if the clock cannot be created.
    package func importCustomer(
        _ customer: CustomerName,
        from bytes: [UInt8],
        clockName: String,
        isAnonymous: Bool
    ) async throws -> ImportedAccount {
        var source = try SourceDocument.customer(from: bytes, of: customer.scope)
        if isAnonymous { source.replaceTokens { identifiers.uuid("token/\($0)") } }
        let clock = ClockName(customer.scope, own: clockName)
        try settings.checkMayMove(clock)
        let (read, scope) = (source, customer.scope)
        // Nothing else changes the catalog, on any node, until the products are written.
        return try await locks.exclusively(ShopSetup.catalogLock(of: scope.app)) {
            try await importCustomer(customer, read, clock, isAnonymous)
        }
    }

    private func importCustomer(
        _ customer: CustomerName,
        _ source: SourceCustomer,
        _ clock: ClockName,
        _ isAnonymous: Bool
    ) async throws -> ImportedAccount {
        var source = source
        try await check(customer, source, isAnonymous)
        try check(clock, of: source)
        try leaveOutRefusedProducts(of: &source, customer)
        try await createClock(clock, .frozen(at: source.instant), isForImport: true)
        do {
            return try await write(customer, source, clock, isAnonymous)
        } catch {
            if try await storage.account(of: customer)?.clock == clock.own {
                // The outcome of the commit was not known, and it has succeeded.
                try await registry.reloadCatalog(of: customer.scope.app)
            } else {
                try await removeClock(clock)
            }
            throw error
        }
    }

    /// Derives the account as it would be. A transaction whose product the catalog would refuse becomes unreadable.
    ///
    /// - Throws: `ImportRefused` if nothing is left; `CatalogRefused` if the catalog would be too large.
    private func leaveOutRefusedProducts(of source: inout SourceCustomer, _ customer: CustomerName) throws {
        while true {
            var ids = Identifiers(reserved: 0..<ImportedAccount.identifiersNeeded(for: source))
            let trial = derive(source, customer, &ids, isAnonymous: true)
            var refused: [String: String] = [:]
            for id in trial.productsMade {
                guard let product = trial.catalog.products[id] else { continue }
                refused[id] = CatalogDocument.reasonAgainst(product, settings: trial.catalog.settings)
            }
            guard !refused.isEmpty else {
                guard !trial.rows.isEmpty || trial.account.appTransaction != nil else {
                    throw ImportRefused.nothingToImport(trial.quarantined.first.map { "\($0.subject): \($0.words)" })
                }
                return try CatalogDocument.checkSize(of: trial.catalog)
            }
            source.refuse(productsWithReasons: refused)
        }
    }

    private func derive(
        _ source: SourceCustomer,
        _ customer: CustomerName,
        _ ids: inout Identifiers,
        isAnonymous: Bool
    ) -> ImportedAccount {
        let scope = customer.scope
        let catalog = registry.catalog(of: scope.app)
        let account = Account(
            id: ids.account(in: customer.partition),
            environment: scope.environment,
            app: scope.app,
            customer: customer.customer,
            storefront: catalog.storefront,
            at: source.instant
        )
        return ImportedAccount(
            source,
            as: account,
            catalog: catalog,
            policy: registry.policy(of: scope),
            identifiers: &ids,
            keepsIDs: !isAnonymous
        )
    }

    private func write(
        _ customer: CustomerName,
        _ source: SourceCustomer,
        _ clock: ClockName,
        _ isAnonymous: Bool
    ) async throws -> ImportedAccount {
        try await identifiers.reserving(isAnonymous ? [] : source.counters) {
            try await commit(customer, source, clock, isAnonymous)
        }
    }

    private func commit(
        _ customer: CustomerName,
        _ source: SourceCustomer,
        _ clock: ClockName,
        _ isAnonymous: Bool
    ) async throws -> ImportedAccount {
        let scope = customer.scope
        var keys: Set<String> = [customer.lockKey]
        return try await transactor.transact("the account of \(customer.customer)", locking: &keys) { _ in
            // The database refuses identifiers that were created or imported since the check.
            guard try await storage.account(of: customer) == nil else {
                throw ImportRefused.customerExists(customer.customer)
            }
            var ids = try identifiers.take(ImportedAccount.identifiersNeeded(for: source))
            var imported = derive(source, customer, &ids, isAnonymous: isAnonymous)
            imported.setClock(clock.own)
            let ledger = Ledger(
                accounts: [imported.account],
                catalog: imported.catalog,
                policy: registry.policy(of: scope),
                identifiers: Identifiers(reserved: 0..<0),
                at: source.instant
            )
            let account = AccountChange(
                account: imported.account,
                before: nil,
                nextDue: ledger.nextDue(of: imported.account)
            )
            let change = Change(
                accounts: [account],
                rows: imported.rows.map { TransactionChange(before: nil, after: $0) },
                foreignIdentifiers: isAnonymous ? [] : imported.foreignIdentifiers(in: scope)
            )
            var draft = Draft(change: change, chain: signingChain)
            if !imported.productsMade.isEmpty {
                let catalog = imported.catalog
                draft.change.documents = [try Registry.document(catalog, of: scope.app)]
                draft.afterCommit = { [registry] in registry.noteWritten(catalog, of: scope.app) }
            }
            return .write(draft, imported)
        }
    }
}

extension SourceCustomer {
    /// The counter values with which Till would create the identifiers of the source.
    fileprivate var counters: [Int64] {
        let items = transactions.compactMap(\.row.lineItem)
        return (transactions.map(\.number) + items + [appTransactionID].compactMap(\.self)).compactMap {
            ForeignIdentifier.counter(.transaction, String($0))
        } + orders.keys.compactMap { ForeignIdentifier.counter(.order, $0) }
    }
}

extension ImportedAccount {
    /// The identifiers of the source, by which Apple's routes find the customer.
    fileprivate func foreignIdentifiers(in scope: AccountScope) -> [ForeignIdentifier] {
        var all = numbers.map { id, number in
            ForeignIdentifier(.transaction, String(number), in: scope, of: account.id, own: id.number)
        }
        if let shown = account.foreignID, shown != account.id.wireForm {
            all.append(ForeignIdentifier(.transaction, shown, in: scope, of: account.id, own: account.id.number))
        }
        for item in Set(rows.compactMap(\.lineItem)) {
            all.append(ForeignIdentifier(.lineItem, String(item), in: scope, of: account.id, own: item))
        }
        all += orders.map { ForeignIdentifier(.order, $0.key, in: scope, of: account.id, own: $0.value.number) }
        return all.sorted { ($0.kind.rawValue, $0.foreign) < ($1.kind.rawValue, $1.foreign) }
    }
}
