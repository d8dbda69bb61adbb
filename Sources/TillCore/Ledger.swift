/// The accounts and rows that one command concerns, and what the rules decide over them.
///
/// A value: the shop fills it, lets one command act on it, and commits what it then holds. The rules never call
/// anybody; each idea of the store is an extension in a file of its own (Purchase, PlanChange, Refund, Family).
package struct Ledger: Sendable {
    /// What the app sells at this moment; rows that were sold earlier keep their own prices.
    package let catalog: Catalog
    /// The choices of the accounts' realm under the shop's settings.
    package let policy: Policy
    /// The shop's time; every decision of one command has the same.
    package let now: Timestamp
    /// The accounts, as they will be committed.
    package private(set) var accounts: [AccountID: Account]
    /// Rows that were handed in or made.
    package private(set) var rows: [TransactionID: Transaction]
    /// What must be written, in the order in which it came about.
    package private(set) var rowChanges: [RowChange]
    /// Codes whose limit must be guarded across all customers.
    package private(set) var redemptions: [CodeRedemption]
    /// What happened, in order.
    package private(set) var events: [Event]
    /// What the rules take new ids from; the rest is thrown away with the ledger.
    package var identifiers: Identifiers

    /// - Parameters:
    ///   - accounts: the account that acts, and its family.
    ///   - rows: what `Command.rows(from:)` named, where it exists.
    ///   - identifiers: at least as many as `Command.mostIdentifiers(for:)` says.
    package init(
        accounts: [Account],
        rows: [Transaction] = [],
        catalog: Catalog,
        policy: Policy,
        identifiers: Identifiers,
        at now: Timestamp
    ) {
        self.accounts = Dictionary(uniqueKeysWithValues: accounts.map { ($0.id, $0) })
        self.rows = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        self.catalog = catalog
        self.policy = policy
        self.identifiers = identifiers
        self.now = now
        rowChanges = []
        redemptions = []
        events = []
    }

    /// Lets an account do something. On a refusal the ledger is worth nothing and is thrown away.
    package mutating func perform(_ command: Command, by id: AccountID) throws(Refusal) {
        for account in accounts.values where now < account.lastEvent {
            throw .earlierThanLastEvent(at: now, last: account.lastEvent)
        }
        switch command {
        case .purchase(let purchase): try buy(purchase, by: id)
        case .finish(let transaction): try finish(transaction)
        case .setAppAccountToken(let transaction, let token): try setAppAccountToken(token, on: transaction)
        case .refund(let refund): try grant(refund)
        case .reverseRefund(let transaction): try reverseRefund(of: transaction)
        case .joinFamily(let other, let name): try join(id, familyOf: other, named: name)
        case .leaveFamily: try leaveFamily(id)
        case .downloadApp(let download): downloadApp(download, by: id)
        }
    }

    // MARK: What the rules write with

    /// The account as it stands.
    subscript(_ id: AccountID) -> Account {
        get {
            guard let account = accounts[id] else {
                preconditionFailure("account \(id.number) was not loaded for this command")
            }
            return account
        }
        set { accounts[id] = newValue }
    }

    /// A row that the command named.
    func row(_ id: TransactionID) throws(Refusal) -> Transaction {
        guard let row = rows[id] else { throw .unknownTransaction(id) }
        return row
    }

    /// Enters a new row at the end of its account's history and gives it back with its place.
    mutating func enter(_ transaction: Transaction) -> Transaction {
        var row = transaction
        row.change = nextChange(of: row.account)
        row.modifiedDate = now
        self[row.account].rowCount += 1
        rows[row.id] = row
        rowChanges.append(RowChange(before: nil, after: row))
        return row
    }

    /// Changes a row. Its place in the history moves to the end, unless the change shows in no payload.
    @discardableResult
    mutating func amend(
        _ row: Transaction,
        movesHistory: Bool = true,
        _ change: (inout Transaction) -> Void
    ) -> Transaction {
        var amended = row
        change(&amended)
        if movesHistory {
            amended.change = nextChange(of: row.account)
            amended.modifiedDate = now
        }
        rows[row.id] = amended
        if let place = rowChanges.lastIndex(where: { $0.after.id == row.id }) {
            rowChanges[place].after = amended
        } else {
            rowChanges.append(RowChange(before: row.change, after: amended))
        }
        refreshCurrent(amended)
        return amended
    }

    /// Notes what happened.
    mutating func note(_ event: Event) {
        events.append(event)
    }

    /// Claims one redemption of a code whose number is limited.
    mutating func claim(_ redemption: CodeRedemption) {
        redemptions.append(redemption)
    }

    /// Takes the next change number of an account.
    private mutating func nextChange(of id: AccountID) -> Int64 {
        self[id].changeNumber += 1
        self[id].lastEvent = max(self[id].lastEvent, now)
        return self[id].changeNumber
    }

    /// A subscription holds its latest transaction; it must not fall behind the ledger.
    private mutating func refreshCurrent(_ row: Transaction) {
        var account = self[row.account]
        for place in account.subscriptions.indices where account.subscriptions[place].current.id == row.id {
            account.subscriptions[place].current = row
        }
        self[row.account] = account
    }
}

/// A row to write.
package struct RowChange: Equatable, Sendable {
    /// The change number under which the row lies now; nil for a new row.
    package let before: Int64?
    /// The row in its new form; a change that shows in no payload keeps the change number.
    package var after: Transaction

    /// A row to write in the place of what lies under `before`.
    package init(before: Int64?, after: Transaction) {
        self.before = before
        self.after = after
    }
}

/// One redemption of a code whose number over all customers is limited.
package struct CodeRedemption: Equatable, Sendable {
    /// The bundle identifier.
    package let app: String
    /// Each realm counts for itself.
    package let realm: Realm
    /// Part of the name: two products may have offers of one identifier.
    package let productID: String
    /// `offerIdentifier` on the wire.
    package let offerID: String
    /// How many redemptions the catalogue allows; the engine refuses the one after.
    package let limit: Int

    /// One redemption, to be counted against the limit.
    package init(app: String, realm: Realm, productID: String, offerID: String, limit: Int) {
        self.app = app
        self.realm = realm
        self.productID = productID
        self.offerID = offerID
        self.limit = limit
    }
}
