import TillCore
import TillStorage

/// What the rows of a written state say of each other, beyond what one row can show. It remembers numbers and
/// relations rather than rows, because a state may be large.
struct RelationCheck {
    private struct Clock: Hashable {
        let environment: StoreEnvironment
        let app: String
        let name: String
    }

    /// A transaction that some row needs.
    private struct Need {
        let account: Int64
        let words: String
        /// Of the row that needs it.
        let line: Int
    }

    private var clocks: Set<Clock> = []
    /// Of accounts with a family, or with what somebody shares with them.
    private var relations: [AccountID: AccountRelations] = [:]
    /// The account of each transaction.
    private var transactions: [Int64: Int64] = [:]
    /// The original transaction of each subscription's transactions.
    private var originals: [Int64: Int64] = [:]
    private var needs: [Int64: Need] = [:]
    /// Where the accounts with relations stand.
    private var lines: [AccountID: Int] = [:]
    /// The account of each notification; nil for one that is about none.
    private var notifications: [Int64: Int64?] = [:]
    private var clocksOfAccounts: [Int64: String] = [:]

    // MARK: Rows, in the order of their tables

    /// A clock of customers' own.
    mutating func take(_ clock: Clocks.Record) {
        if let own = clock.own { clocks.insert(Clock(environment: clock.environment, app: clock.app, name: own)) }
    }

    /// - Parameter line: where it stands in the text.
    /// - Returns: what is wrong, a clause; nil when nothing is.
    mutating func fault(in account: Account, line: Int) -> String? {
        if let damage = account.damage { return "an account is damaged: \(damage)" }
        if let own = account.clock,
            !clocks.contains(Clock(environment: account.environment, app: account.app, name: own))
        {
            return "an account is on the clock \(own.cut(toBytes: 64)), which is not in the text"
        }
        let relation = AccountRelations(account)
        if !relation.isAlone {
            relations[account.id] = relation
            lines[account.id] = line
        }
        clocksOfAccounts[account.id.number] = account.clockName.key
        for subscription in account.heldSubscriptions {
            for row in subscription.state.periods.map(\.transaction) {
                need(row.id, of: account, "a subscription has", line)
                originals[row.id.number] = row.originalID.number
            }
        }
        for holding in account.holdings {
            need(holding.transaction, of: account, "an account has a product by", line)
        }
        for request in account.refundRequests {
            need(request.transaction, of: account, "a refund is asked for of", line)
        }
        return nil
    }

    /// - Returns: what is wrong, a clause; nil when nothing is.
    mutating func fault(inTransaction id: Int64, of account: Int64, original: Int64, line: Int) -> String? {
        guard transactions.updateValue(account, forKey: id) == nil else { return "transaction \(id) comes twice" }
        if let named = originals[id], named != original {
            return "transaction \(id) names another original than its subscription does"
        }
        if original != id, needs[original] == nil {
            needs[original] = Need(account: account, words: "a row of ledger names as its original", line: line)
        }
        return nil
    }

    /// - Returns: what is wrong, a clause; nil when nothing is.
    mutating func fault(inNotification id: Int64, of account: Int64?, about transactions: [Int64]) -> String? {
        notifications[id] = .some(account)
        guard let account else { return nil }
        let isKnown = transactions.allSatisfy { self.transactions[$0] == account }
        return isKnown ? nil : "a row of outbox is about a transaction that its account does not have"
    }

    /// - Parameter clock: by which it falls due; nil once it does not any more.
    /// - Returns: what is wrong, a clause; nil when nothing is.
    func fault(inDeliveryOf notification: Int64?, to account: Int64?, by clock: String?) -> String? {
        guard let notification, let owner = notifications[notification] else {
            return "a row of deliveries is of a notification that is not in the text"
        }
        guard owner == account else { return "a row of deliveries is of another account than its notification" }
        guard let account, let clock, let own = clocksOfAccounts[account] else { return nil }
        return own == clock ? nil : "a row of deliveries falls due by another clock than its account's"
    }

    // MARK: The whole

    /// What is missing once every row has come.
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
