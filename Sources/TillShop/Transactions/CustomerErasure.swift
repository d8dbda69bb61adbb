import Logging
import TillCore
import TillSigning
import TillStorage

/// The result of erasing a customer; for a dry run, what the erasure would delete.
package struct ErasedCustomer: Sendable {
    /// The numbers of the customer's transactions, notifications and deliveries.
    package var belongings = Belongings()
    /// The number of request log entries that mentioned the customer.
    package var requestLogEntries = 0
    /// The number of fault rules for the customer in this app and environment.
    package var faults = 0
    /// The name of the customer's family; nil if the customer was in no family.
    package var family: String?
    /// The customer's own clock; nil for a customer on the environment's clock.
    package var clock: ClockName?
    /// The notifications about other family members, who lost the products that the customer shared.
    package var notifications: [TillCore.Notification] = []
    /// The names of the snapshots that still contain the customer.
    package var snapshots: [String] = []
    /// The names of the snapshots that were deleted because they contained the customer.
    package var removedSnapshots: [String] = []
}

/// Erases one customer of an app's environment (docs/operating/erasure.md). The customer's identifiers are not reused.
extension Shop {
    /// Deletes everything that belongs to a customer or mentions them. The other family members lose the products that
    /// the customer shared, as if the customer had left the family.
    ///
    /// - Parameters:
    ///   - removingSnapshots: whether to delete snapshots that contain the customer.
    ///   - isDryRun: whether to count only, and change nothing.
    /// - Throws: `Refusal.unknownAccount` if neither the database nor a snapshot contains the customer; `ShopBusy` if
    ///   the erasure is not possible now.
    package func eraseCustomer(
        _ customer: CustomerName,
        removingSnapshots: Bool = false,
        isDryRun: Bool = false
    ) async throws -> ErasedCustomer {
        await requestLog.flush()
        let held = try await storage.snapshots(holding: customer.customer, in: customer.scope)
            .filter(\.isObjectName)
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

    private enum Erasing: Sendable {
        case done(ErasedCustomer, AccountID?)
        /// The due events of the family up to this date must be processed first.
        case behind(Timestamp)
    }

    /// - Parameter isForgiving: whether to accept a missing account without an error.
    private func eraseAccount(_ customer: CustomerName, isDryRun: Bool, isForgiving: Bool) async throws
        -> ErasedCustomer
    {
        var keys: Set<String> = [customer.lockKey]
        for _ in 0..<Transactor.maxAttempts {
            let step = try await transactor.transact("the account of \(customer.customer)", locking: &keys) { held in
                try await erasure(of: customer, isDryRun: isDryRun, isForgiving: isForgiving, holding: held)
            }
            switch step {
            case .done(let erased, nil): return erased
            case .done(let erased, let account?):
                self.keys.forgetSigned()
                faults.recentRows.clear()
                quarantine.remove(account)
                return erased
            case .behind(let instant): try await transact(.processDue, by: customer, at: instant)
            }
        }
        throw ShopBusy(reason: "the family of the customer has due events again and again")
    }

    private func erasure(
        of customer: CustomerName,
        isDryRun: Bool,
        isForgiving: Bool,
        holding keys: Set<String>
    ) async throws -> Decision<Erasing> {
        let scope = customer.scope
        guard let account = try await storage.account(of: customer) else {
            if isForgiving { return .unchanged(.done(ErasedCustomer(), nil)) }
            throw Refusal.unknownAccount(customer.customer)
        }
        let loaded = [account] + (try await others(concernedBy: .leaveFamily, of: account))
        let needed = Set(loaded.map { CustomerName(scope, $0.customer).lockKey })
        guard needed.isSubset(of: keys) else { return .needs(needed) }

        var erased = ErasedCustomer()
        erased.family = account.family?.name
        if account.clock != nil { erased.clock = account.clockName }
        erased.belongings = try await storage.belongings(of: account.id)
        let entries = try await requestLogEntries(about: account)
        erased.requestLogEntries = entries.count
        guard !isDryRun else { return .unchanged(.done(erased, nil)) }

        let chain = signingChain
        var change = Change()
        if account.family != nil {
            try checkUndamaged(loaded, of: customer)
            let now = loaded.reduce(now(of: account)) { max($0, $1.lastEvent) }
            var ledger = Ledger(
                accounts: loaded,
                transactions: try await transactions(Command.leaveFamily.transactions(from: loaded), of: loaded),
                catalog: registry.catalog(of: scope.app),
                policy: registry.policy(of: scope),
                identifiers: Identifiers(reserved: 0..<0),
                at: now
            )
            guard !ledger.isBehind else { return .unchanged(.behind(now)) }
            ledger.identifiers = try identifiers.take(Command.leaveFamily.maxIdentifiers(for: loaded))
            try ledger.perform(.leaveFamily, by: account.id)
            identifiers.giveBack(ledger.identifiers)
            // Writes and notifications for the erased customer are dropped.
            change = Self.change(from: loaded, to: ledger, opening: nil)
            change.accounts.removeAll { $0.account.id == account.id }
            change.rows.removeAll { $0.after.account == account.id }
            erased.notifications = ledger.notifications.filter { $0.account != account.id }
            try enqueue(erased.notifications, in: &change, scope: scope, signedBy: chain)
            if hasVersionOneEndpoint(scope) { try await enqueueVersionOne(erased.notifications, in: &change, scope) }
        }
        change.erasure = Erasure(account, requestLog: entries)
        let draft = Draft(change: change, notifications: erased.notifications, chain: chain)
        return .write(draft, .done(erased, account.id))
    }

    // MARK: The request log

    /// The numbers of the request log entries that mention a customer by an identifier or an app account token. Signed
    /// data cannot be searched, so the result includes every entry with signed data in its body.
    private func requestLogEntries(about account: Account) async throws -> [Int64] {
        var words: Set<String> = [account.id.wireForm, account.shownID]
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
            transaction.order?.wireForm.lowercased(), transaction.shownID, transaction.shownOriginalID,
            transaction.shownOrderID?.lowercased(),
            transaction.appAccountToken?.lowercased(),
        ].compactMap(\.self)
    }

    private static func names(_ entry: RequestLogEntry, _ account: Account, _ words: Set<String>) -> Bool {
        guard entry.app == nil || entry.app == account.app else { return false }
        let bodies = [entry.requestBody, entry.responseBody].compactMap(\.self)
        if bodies.contains(where: { body in signedMarks.contains { body.contains($0) } }) { return true }
        // This message of `ShopBusy` is the only one that contains a customer's name.
        if entry.explanation.contains("the account of \(account.customer) changed") { return true }
        return ([entry.path, entry.explanation] + bodies).contains { text in
            text.lowercased().split(whereSeparator: { !$0.isLetter && !$0.isNumber && $0 != "-" })
                .contains { words.contains(String($0)) }
        }
    }

    /// Texts that show that a body contains a JWS or a receipt.
    private static let signedMarks = ["\"signed", "receipt-data", "latest_receipt", "eyJ"]
}
