import TillCore

/// What one command changes: committed whole or not at all.
package struct Change: Sendable {
    /// The accounts with their new state, each guarded by the version it was read at.
    package var accounts: [AccountChange]
    /// In the order in which they came about; each row stands once.
    package var rows: [RowChange]
    /// Counted against their limits in the same transaction.
    package var redemptions: [CodeRedemption]
    /// What the developer's server is to be told of it.
    package var notifications: [OutboxEntry]
    /// To whom that is owed.
    package var deliveries: [Delivery]
    /// Written in the same transaction, over those of the same kind and name.
    package var documents: [Document]
    /// On what it hangs where several servers share the engine.
    package var writePrecondition: WritePrecondition?
    /// What goes, behind everything that is written.
    package var erasure: Erasure?

    /// What one command changes.
    package init(
        accounts: [AccountChange] = [],
        rows: [RowChange] = [],
        redemptions: [CodeRedemption] = [],
        notifications: [OutboxEntry] = [],
        deliveries: [Delivery] = [],
        documents: [Document] = [],
        writePrecondition: WritePrecondition? = nil,
        erasure: Erasure? = nil
    ) {
        self.accounts = accounts
        self.rows = rows
        self.redemptions = redemptions
        self.notifications = notifications
        self.deliveries = deliveries
        self.documents = documents
        self.writePrecondition = writePrecondition
        self.erasure = erasure
    }

    /// Whether nothing would be written.
    package var isEmpty: Bool {
        accounts.isEmpty && rows.isEmpty && redemptions.isEmpty && notifications.isEmpty && deliveries.isEmpty
            && documents.isEmpty && erasure == nil
    }
}

/// An account to write.
package struct AccountChange: Sendable {
    /// The new state, with its new version.
    package var account: Account
    /// The version that must be in the engine still; nil for a new account.
    package var before: Int64?
    /// When something happens next in it by itself; nil while nothing will.
    package var nextDue: Timestamp?
    /// Whether it goes over to another clock, with all that is owed to it.
    package var changesClock: Bool

    /// An account to write.
    package init(account: Account, before: Int64?, nextDue: Timestamp? = nil, changesClock: Bool = false) {
        self.account = account
        self.before = before
        self.nextDue = nextDue
        self.changesClock = changesClock
    }
}

/// Why a change was not committed. Nothing of it was written.
package enum CommitFailure: Error, Sendable {
    /// Somebody else changed the account first: load it again and decide again.
    case conflict(AccountID)
    /// The limit of a code was reached.
    case codeUsedUp(CodeRedemption)
    /// What the change was decided by is no longer so: follow the store and decide again.
    case overtaken
    /// The engine failed; its own words, for the log only.
    case engine(String)
    /// The disk is full; the engine's words, for the log only.
    case noRoom(String)

    /// What an engine's failure comes to.
    package init(_ error: any Error) {
        self = error.isFullDisk ? .noRoom(error.logText) : .engine(error.logText)
    }
}

extension CommitFailure: CustomStringConvertible {
    /// For the log.
    package var description: String {
        switch self {
        case .conflict(let account): "account \(account.number) was changed meanwhile"
        case .codeUsedUp(let redemption): "code offer \(redemption.offerID) is used up"
        case .overtaken: "what the change was decided by is no longer so"
        case .engine(let words), .noRoom(let words): words
        }
    }
}
