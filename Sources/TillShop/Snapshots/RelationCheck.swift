import TillCore
import TillStorage

/// Checks the relations between rows of an exported state. Because a state may be large, the check keeps only numbers
/// and relations, not rows.
struct RelationCheck {
    private struct Clock: Hashable {
        let environment: StoreEnvironment
        let app: String
        let name: String
    }

    /// A reference from a row to a transaction.
    private struct Need {
        let account: Int64
        let words: String
        /// The line of the row with the reference.
        let line: Int
    }

    private var clocks: Set<Clock> = []
    /// The relations of accounts that are in a family or share products.
    private var relations: [AccountID: AccountRelations] = [:]
    /// The account of each transaction, by the transaction's number.
    private var transactions: [Int64: Int64] = [:]
    /// The original transaction of each transaction that a subscription contains, by the transaction's number.
    private var originals: [Int64: Int64] = [:]
    private var needs: [Int64: Need] = [:]
    /// The lines of the accounts with relations.
    private var lines: [AccountID: Int] = [:]
    /// The account of each notification, by the notification's number; nil for a notification about no account.
    private var notifications: [Int64: Int64?] = [:]
    private var clocksOfAccounts: [Int64: String] = [:]

    // MARK: Rows, in the order of their tables

    /// Records a customer clock.
    mutating func take(_ clock: Clocks.Record) {
        if let own = clock.own { clocks.insert(Clock(environment: clock.environment, app: clock.app, name: own)) }
    }

    /// - Parameter line: the line of the account in the file.
    /// - Returns: the error as a clause; nil if there is none.
    mutating func fault(in account: Account, line: Int) -> String? {
        if let damage = account.damage { return "an account is damaged: \(damage)" }
        if let own = account.clock,
            !clocks.contains(Clock(environment: account.environment, app: account.app, name: own))
        {
            return "an account uses the clock \(own.cut(toBytes: 64)), which is not in the file"
        }
        let relation = AccountRelations(account)
        if !relation.isAlone {
            relations[account.id] = relation
            lines[account.id] = line
        }
        clocksOfAccounts[account.id.number] = account.clockName.key
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) {
                need(row.id, of: account, "a subscription contains", line)
                originals[row.id.number] = row.originalID.number
            }
        }
        for ownedProduct in account.ownedProducts {
            need(ownedProduct.transaction, of: account, "an account owns a product by", line)
        }
        for request in account.refundRequests {
            need(request.transaction, of: account, "a refund request refers to", line)
        }
        return nil
    }

    /// - Returns: the error as a clause; nil if there is none.
    mutating func fault(inTransaction id: Int64, of account: Int64, original: Int64, line: Int) -> String? {
        guard transactions.updateValue(account, forKey: id) == nil else { return "transaction \(id) occurs twice" }
        if let named = originals[id], named != original {
            return "transaction \(id) has another original transaction than in its subscription"
        }
        if original != id, needs[original] == nil {
            needs[original] = Need(account: account, words: "a row of ledger has the original", line: line)
        }
        return nil
    }

    /// - Returns: the error as a clause; nil if there is none.
    mutating func fault(inNotification id: Int64, of account: Int64?, about transactions: [Int64]) -> String? {
        notifications[id] = .some(account)
        guard let account else { return nil }
        let isKnown = transactions.allSatisfy { self.transactions[$0] == account }
        return isKnown ? nil : "a row of outbox is about a transaction that its account does not have"
    }

    /// - Parameter clock: the clock on which the delivery is due; nil if the delivery is not pending.
    /// - Returns: the error as a clause; nil if there is none.
    func fault(inDeliveryOf notification: Int64?, to account: Int64?, by clock: String?) -> String? {
        guard let notification, let owner = notifications[notification] else {
            return "a row of deliveries belongs to a notification that is not in the file"
        }
        guard owner == account else { return "a row of deliveries belongs to another account than its notification" }
        guard let account, let clock, let own = clocksOfAccounts[account] else { return nil }
        return own == clock ? nil : "a row of deliveries is due on another clock than its account's"
    }

    // MARK: The end of the file

    /// The missing rows and damaged families. Call this after the last row.
    var faults: [StateFault] {
        let missing = needs.filter { transactions[$0] != $1.account }.map { id, need in
            StateFault(
                line: need.line,
                words: "\(need.words) transaction \(id), which account \(need.account) does not have"
            )
        }
        let apart = relations.compactMap { id, relation in
            relation.fault(among: { relations[$0] }).map {
                StateFault(line: lines[id] ?? 1, words: "account \(id.number) is damaged: \($0)")
            }
        }
        return missing + apart
    }

    private mutating func need(_ id: TransactionID, of account: Account, _ words: String, _ line: Int) {
        needs[id.number] = Need(account: account.id.number, words: words, line: line)
    }
}
