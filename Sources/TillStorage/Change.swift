import TillCore

/// The writes of one command: committed as a whole or not at all.
package struct Change: Sendable {
    /// The accounts with their new state. Each write checks the version that the account was read at.
    package var accounts: [AccountChange]
    /// In the order in which they were made; each row occurs once.
    package var rows: [TransactionChange]
    /// Counted against their limits in the same transaction.
    package var redemptions: [CodeRedemption]
    /// The notifications that the change causes.
    package var notifications: [OutboxEntry]
    /// The deliveries of these notifications to endpoints.
    package var deliveries: [Delivery]
    /// Written in the same transaction; they replace documents of the same kind and name.
    package var documents: [Document]
    /// The precondition when several servers share the engine.
    package var writePrecondition: WritePrecondition?
    /// The account to erase, after everything else is written.
    package var erasure: Erasure?

    /// The writes of one command.
    package init(
        accounts: [AccountChange] = [],
        rows: [TransactionChange] = [],
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
    /// The version that must still be stored; nil for a new account.
    package var before: Int64?
    /// When the account's next event falls due; nil while there is none.
    package var nextDue: Timestamp?
    /// Whether it moves to another clock, together with its pending deliveries.
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
    /// Another writer changed the account first: load it again and decide again.
    case conflict(AccountID)
    /// The limit of a code was reached.
    case codeUsedUp(CodeRedemption)
    /// The configuration that the change was decided with has changed: reload it and decide again.
    case preconditionFailed
    /// The engine failed; the text is for the log only.
    case engine(String)
    /// The disk is full; the text is for the log only.
    case diskFull(String)

    /// The failure for an engine's error.
    package init(_ error: any Error) {
        self = error.isFullDisk ? .diskFull(error.logText) : .engine(error.logText)
    }
}

extension CommitFailure: CustomStringConvertible {
    /// For the log.
    package var description: String {
        switch self {
        case .conflict(let account): "account \(account.number) was changed meanwhile"
        case .codeUsedUp(let redemption): "code offer \(redemption.offerID) is used up"
        case .preconditionFailed: "the configuration that the change was decided with has changed"
        case .engine(let words), .diskFull(let words): words
        }
    }
}
