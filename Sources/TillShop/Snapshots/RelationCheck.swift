import Crypto
import Foundation
import TillCore
import TillStorage

/// Compares the rows of an exported state with the accounts that they belong to, as `till doctor` does. The accounts
/// must come before the other rows. Because a state may be large, the check keeps only numbers, digests and relations.
struct RelationCheck {
    /// What the check keeps of an account.
    private struct Entry {
        /// The line of the account in the file.
        let line: Int
        let clock: ClockName
        let rowCount: Int64
        let changeNumber: Int64
        let refundNumber: Int64
        let notificationNumber: Int64
        var rows: Int64 = 0
        var notifications: Int64 = 0

        init(_ account: Account, line: Int) {
            self.line = line
            clock = account.clockName
            rowCount = account.rowCount
            changeNumber = account.changeNumber
            refundNumber = account.refundNumber
            notificationNumber = account.notificationNumber
        }
    }

    /// A reference from a row to a transaction.
    private struct Reference {
        let account: AccountID
        let words: String
        /// The line of the row with the reference.
        let line: Int
        /// The digest of the transaction's copy in a subscription.
        var copy: [UInt8]?
        var ownedProduct: OwnedProduct?
    }

    private var clocks: Set<ClockName> = []
    /// The names of the environments and apps whose old notifications were deleted.
    private var pruned: Set<String> = []
    private var accounts: [AccountID: Entry] = [:]
    /// The relations of accounts that are in a family or share products.
    private var relations: [AccountID: AccountRelations] = [:]
    private var references: [TransactionID: Reference] = [:]
    private var transactions: [TransactionID: AccountID] = [:]
    /// The account of each notification; nil for a notification about no account.
    private var notifications: [NotificationID: AccountID?] = [:]

    // MARK: Rows, in the order of their tables. Each function returns the error as a clause; nil if there is none.

    /// Records a customer clock.
    mutating func take(_ clock: Clocks.Record) { clocks.insert(clock.name) }

    /// Records the name of a retention document.
    mutating func takePruning(_ name: String) { pruned.insert(name) }

    mutating func fault(in account: Account, line: Int) -> String? {
        if let damage = account.damage { return "an account is damaged: \(damage)" }
        if let own = account.clock, !clocks.contains(account.clockName) {
            return "an account uses the clock \(own.cut(toBytes: 64)), which is not in the file"
        }
        accounts[account.id] = Entry(account, line: line)
        let relation = AccountRelations(account)
        if !relation.isAlone { relations[account.id] = relation }
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) {
                refer(to: row.id, from: account.id, "a subscription contains", line, copy: Self.digest(of: row))
            }
        }
        for ownedProduct in account.ownedProducts {
            let id = ownedProduct.transaction
            refer(to: id, from: account.id, "an account owns a product by", line, ownedProduct: ownedProduct)
        }
        for request in account.refundRequests {
            refer(to: request.transaction, from: account.id, "a refund request refers to", line)
        }
        return nil
    }

    mutating func fault(in row: Transaction, line: Int) -> String? {
        guard let account = accounts[row.account] else {
            return "a row of ledger belongs to an account that is not in the file"
        }
        guard transactions.updateValue(row.account, forKey: row.id) == nil else {
            return "transaction \(row.id.number) occurs twice"
        }
        if row.originalID != row.id, references[row.originalID] == nil {
            refer(to: row.originalID, from: row.account, "a row of ledger has the original", line)
        }
        accounts[row.account]?.rows += 1
        guard (1...max(1, account.changeNumber)).contains(row.change) else {
            return "transaction \(row.id.number) has change number \(row.change); its account has only reached "
                + "\(account.changeNumber)"
        }
        guard row.refundNumber ?? 0 <= account.refundNumber else {
            return "transaction \(row.id.number) has a higher refund number than its account"
        }
        return faultInCopy(of: row)
    }

    /// Compares a transaction with what its account contains of it.
    private func faultInCopy(of row: Transaction) -> String? {
        let reference = references[row.id]
        if let copy = reference?.copy, copy != Self.digest(of: row) {
            return "transaction \(row.id.number) is not what the subscription \(row.originalID.number) of account "
                + "\(row.account.number) contains as a copy"
        }
        if let ownedProduct = reference?.ownedProduct {
            return ownedProduct.fault(in: row).map {
                "account \(row.account.number) owns \(ownedProduct.productID.cut(toBytes: 64)) by transaction "
                    + "\(row.id.number), \($0)"
            }
        }
        guard row.type == .nonConsumable, row.revocation == nil else { return nil }
        return "account \(row.account.number) does not record that it owns \(row.productID.cut(toBytes: 64)) by "
            + "transaction \(row.id.number)"
    }

    mutating func fault(in entry: OutboxEntry) -> String? {
        notifications[entry.id] = .some(entry.account)
        guard let account = entry.account else { return nil }
        guard accounts[account] != nil else { return "a row of outbox belongs to an account that is not in the file" }
        // Accounts do not count notifications of version 1, nor notifications that an operator triggered.
        if !entry.isTriggered, entry.version == .two { accounts[account]?.notifications += 1 }
        let about = [entry.transaction, entry.original].compactMap(\.self)
        return about.allSatisfy { transactions[$0] == account }
            ? nil : "a row of outbox is about a transaction that its account does not have"
    }

    func fault(in delivery: Delivery) -> String? {
        guard let owner = notifications[delivery.notification] else {
            return "a row of deliveries belongs to a notification that is not in the file"
        }
        guard owner == delivery.account else {
            return "a row of deliveries belongs to another account than its notification"
        }
        guard delivery.due != nil, let account = owner.flatMap({ accounts[$0] }) else { return nil }
        return account.clock.key == delivery.clock.key
            ? nil : "a row of deliveries is due on another clock than its account's"
    }

    func fault(in identifier: ForeignIdentifier) -> String? {
        guard accounts[identifier.account] != nil else {
            return "a row of foreign_identifiers belongs to an account that is not in the file"
        }
        let isOwned =
            identifier.kind != .transaction || identifier.own == identifier.account.number
            || transactions[TransactionID(identifier.own)] == identifier.account
        return isOwned ? nil : "a row of foreign_identifiers is about a transaction that its account does not have"
    }

    // MARK: The end of the file

    /// An error that only the last row proves, and the line of the row to which it belongs.
    typealias Fault = (line: Int, words: String)

    /// The first error that only the last row proves; nil if there is none.
    func faultAtEnd() -> Fault? {
        let missing = references.filter { transactions[$0] != $1.account }.map { id, reference -> Fault in
            let words = "\(reference.words) transaction \(id.number), which account \(reference.account.number)"
            return (reference.line, "\(words) does not have")
        }
        let apart = relations.compactMap { id, relation in
            relation.fault(among: { relations[$0] }).map { fault -> Fault in
                (accounts[id]?.line ?? 1, "account \(id.number) is damaged: \(fault)")
            }
        }
        return (missing + apart).min { $0 < $1 } ?? accounts.compactMap(faultInCounts).min { $0 < $1 }
    }

    /// Compares the numbers of an account's rows with its counters.
    private func faultInCounts(of id: AccountID, _ account: Entry) -> Fault? {
        if account.rows != account.rowCount {
            let words = "account \(id.number) should have \(account.rowCount) transactions and has \(account.rows)"
            return (account.line, words)
        }
        let scope = account.clock.scope
        let missing = account.notificationNumber - account.notifications
        let isPruned = pruned.contains("\(scope.environment.rawValue)/\(scope.app)")
        guard missing < 0 || missing > 0 && !isPruned else { return nil }
        let wanted = "should have \(account.notificationNumber) notifications and has \(account.notifications)"
        return (account.line, "account \(id.number) \(wanted)")
    }

    private mutating func refer(
        to id: TransactionID,
        from account: AccountID,
        _ words: String,
        _ line: Int,
        copy: [UInt8]? = nil,
        ownedProduct: OwnedProduct? = nil
    ) {
        references[id] = Reference(
            account: account,
            words: words,
            line: line,
            copy: copy ?? references[id]?.copy,
            ownedProduct: ownedProduct ?? references[id]?.ownedProduct
        )
    }

    /// The first 16 bytes of a digest that is equal for equal transactions.
    private static func digest(of row: Transaction) -> [UInt8]? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(row)).map { Array(SHA256.hash(data: $0).prefix(16)) }
    }
}
