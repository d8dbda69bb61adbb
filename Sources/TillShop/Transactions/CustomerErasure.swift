import Logging
import TillCore
import TillSigning
import TillStorage

/// What erasing a customer deleted, or would delete.
package struct ErasedCustomer: Sendable {
    /// Transactions, notifications and deliveries.
    package var belongings = Belongings()
    /// Entries of the request log that mentioned the customer.
    package var requestLogEntries = 0
    /// Fault rules for the customer in this app and environment.
    package var faults = 0
    /// The family of the customer.
    package var family: String?
    /// Notifications about the other family members, who lost shared products.
    package var notifications: [TillCore.Notification] = []
    /// Snapshots that still contain the customer.
    package var snapshots: [String] = []
    /// Snapshots that were removed because they contained the customer.
    package var removedSnapshots: [String] = []
}

/// Erases one customer of an app's environment without a trace (docs/operating/erasure.md). Identifiers are not reused.
extension Shop {
    /// Deletes everything that belongs to a customer or mentions them, in one transaction. The family loses what the
    /// customer shared, as when a member leaves.
    ///
    /// - Parameters:
    ///   - removingSnapshots: also removes snapshots that contain the customer.
    ///   - isDryRun: counts, and changes nothing.
    /// - Throws: `Refusal.unknownAccount` when there is no trace of the customer; `ShopBusy`.
    package func eraseCustomer(
        _ customer: CustomerName,
        removingSnapshots: Bool = false,
        isDryRun: Bool = false
    ) async throws -> ErasedCustomer {
        try await gate.shared {
            await requestLog.flush()
            let held = try await storage.snapshots(holding: customer.customer, in: customer.scope)
                .filter(Self.isName)
            var erased = try await eraseAccount(customer, isDryRun: isDryRun, isForgiving: !held.isEmpty)
            let rules = faults.all.map(\.rule).filter { rule in
                rule.customer == customer.customer && rule.app == customer.scope.app
                    && rule.environment == customer.scope.environment
            }
            erased.faults = rules.count
            if removingSnapshots { erased.removedSnapshots = held } else { erased.snapshots = held }
            guard !isDryRun else { return erased }
            for rule in rules { _ = try await faults.remove(rule.id) }
            for name in erased.removedSnapshots { try await storage.remove(snapshot: name) }
            return erased
        }
    }

    private enum Erasing: Sendable {
        case done(ErasedCustomer)
        /// An event of the family is due first.
        case behind(Timestamp)
        case needs(Set<String>)
        case conflict
    }

    /// - Parameter isForgiving: a missing account is not an error.
    private func eraseAccount(_ customer: CustomerName, isDryRun: Bool, isForgiving: Bool) async throws
        -> ErasedCustomer
    {
        var keys: Set<String> = [customer.lockKey]
        for _ in 0..<Self.maxAttempts {
            let held = keys
            let step = try await locks.holding(held) {
                try await self.attemptErasure(customer, isDryRun: isDryRun, isForgiving: isForgiving, holding: held)
            }
            switch step {
            case .done(let erased): return erased
            case .behind(let instant): try await processDue(customer, until: instant)
            case .needs(let more): keys = more
            case .conflict: continue
            }
        }
        throw ShopBusy(reason: "the account of \(customer.customer) changed \(Self.maxAttempts) times meanwhile")
    }

    private func attemptErasure(
        _ customer: CustomerName,
        isDryRun: Bool,
        isForgiving: Bool,
        holding keys: Set<String>
    ) async throws -> Erasing {
        let scope = customer.scope
        // Before anything is read that other nodes may change.
        let writePrecondition = try writePrecondition()
        let found = try await storage.account(
            environment: scope.environment,
            app: scope.app,
            customer: customer.customer
        )
        guard let account = found else {
            if isForgiving { return .done(ErasedCustomer()) }
            throw Refusal.unknownAccount(customer.customer)
        }
        let loaded = [account] + (try await others(concernedBy: .leaveFamily, of: account))
        let needed = Set(loaded.map { CustomerName(scope, $0.customer).lockKey })
        guard needed.isSubset(of: keys) else { return .needs(needed.union(keys)) }

        var erased = ErasedCustomer()
        erased.family = account.family?.name
        erased.belongings = try await storage.belongings(of: account.id)
        let entries = try await requestLogEntries(about: account)
        erased.requestLogEntries = entries.count
        guard !isDryRun else { return .done(erased) }

        let chain = signingChain
        var change = Change()
        if account.family != nil {
            try checkUndamaged(loaded, of: customer)
            let now = loaded.reduce(now(of: account)) { max($0, $1.lastEvent) }
            var ledger = Ledger(
                accounts: loaded,
                transactions: try await transactions(for: .leaveFamily, loaded),
                catalog: registry.catalog(of: scope.app),
                policy: policy(of: scope),
                identifiers: Identifiers(reserved: 0..<0),
                at: now
            )
            guard !ledger.isBehind else { return .behind(now) }
            ledger.identifiers = try await identifiers.take(Command.leaveFamily.maxIdentifiers(for: loaded))
            try ledger.perform(.leaveFamily, by: account.id)
            await identifiers.giveBack(ledger.identifiers)
            // For the erased customer nothing is written, and no notification is sent.
            change = Self.change(from: loaded, to: ledger, opening: nil)
            change.accounts.removeAll { $0.account.id == account.id }
            change.rows.removeAll { $0.after.account == account.id }
            erased.notifications = ledger.notifications.filter { $0.account != account.id }
            try await enqueue(erased.notifications, in: &change, scope: scope, signedBy: chain)
        }
        change.writePrecondition = writePrecondition
        change.erasure = Erasure(account: account.id, version: account.version, requestLog: entries)
        switch await commits.commit(change) {
        case .success:
            if !change.notifications.isEmpty { chains.keep(chain) }
            receiptCache.clear()
            signatures.clear()
            recentRows.clear()
            quarantine.remove(account.id)
            signals.committed(change, notifications: erased.notifications)
            return .done(erased)
        case .failure(.conflict):
            return .conflict
        case .failure(.preconditionFailed):
            try await cluster?.catchUp()
            return .conflict
        case .failure(let failure):
            logger.error("a customer was not erased", metadata: ["cause": "\(failure.logText)"])
            throw ShopBusy(failure)
        }
    }

    // MARK: The request log

    /// The numbers of the entries that mention a customer by any of their identifiers or app account tokens. Signed
    /// data cannot be searched, so every entry with signed data in its body is included.
    private func requestLogEntries(about account: Account) async throws -> [Int64] {
        var words: Set<String> = [account.id.wireForm]
        var position: Int64?
        repeat {
            let query = HistoryQuery(account: account.id, position: position, limit: Self.pageOfErasure)
            let page = try await storage.history(query)
            for transaction in page.rows { words.formUnion(Self.words(of: transaction)) }
            position = page.hasMore ? page.rows.last?.change : nil
        } while position != nil

        var numbers: [Int64] = []
        var last: Int64 = 0
        while true {
            let page = try await storage.requestLog(after: last, limit: Self.pageOfErasure)
            guard let end = page.last else { return numbers }
            last = end.number
            for numbered in page where numbered.entry.environment == account.environment {
                if Self.names(numbered.entry, account, words) { numbers.append(numbered.number) }
            }
        }
    }

    private static let pageOfErasure = 500

    private static func words(of transaction: Transaction) -> [String] {
        [
            transaction.id.wireForm, transaction.originalID.wireForm, transaction.lineItem.map { String($0) },
            transaction.order?.wireForm.lowercased(),
            transaction.appAccountToken?.lowercased(),
        ].compactMap(\.self)
    }

    private static func names(_ entry: RequestLogEntry, _ account: Account, _ words: Set<String>) -> Bool {
        guard entry.app == nil || entry.app == account.app else { return false }
        let bodies = [entry.requestBody, entry.responseBody].compactMap(\.self)
        if bodies.contains(where: { body in signedMarks.contains { body.contains($0) } }) { return true }
        // The only message that contains a customer's name (`ShopBusy`).
        if entry.explanation.contains("the account of \(account.customer) changed") { return true }
        return ([entry.path, entry.explanation] + bodies).contains { text in
            text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "-" })
                .contains { words.contains(String($0)) }
        }
    }

    /// Markers of bodies that contain a JWS or a receipt.
    private static let signedMarks = ["\"signed", "receipt-data", "latest_receipt", "eyJ"]
}
