import TillCore

/// The writes of one command. The engine commits all of them or none.
package struct Change: Sendable {
    /// The accounts with their new state. The engine writes an account only if it still has the version that the server
    /// read.
    package var accounts: [AccountChange]
    /// The ledger transactions to write, in the order of their changes. Each transaction occurs once.
    package var rows: [TransactionChange]
    /// The redemptions of offer codes. The same database transaction counts them against their limits.
    package var redemptions: [CodeRedemption]
    /// The notifications that the command causes.
    package var notifications: [OutboxEntry]
    /// Stored notifications that were unsigned when they were read, with their signatures. A notification that has
    /// signatures by then keeps them.
    package var signed: [OutboxEntry]
    /// The deliveries of the new notifications to endpoints.
    package var deliveries: [Delivery]
    /// The identifiers of another store for imported transactions and orders.
    package var foreignIdentifiers: [ForeignIdentifier]
    /// The documents to write in the same database transaction. They replace documents of the same kind and name.
    package var documents: [Document]
    /// The precondition of the write; nil if no other server shares the database.
    package var writePrecondition: WritePrecondition?
    /// The account to erase after all other writes; nil if none is erased.
    package var erasure: Erasure?
    /// The audit record of the operation that makes this change; nil for a change of no operation. A record with the
    /// same id is written only once; only a failure replaces its result.
    package var audit: AuditRecord?

    /// The writes of one command.
    package init(
        accounts: [AccountChange] = [],
        rows: [TransactionChange] = [],
        redemptions: [CodeRedemption] = [],
        notifications: [OutboxEntry] = [],
        signed: [OutboxEntry] = [],
        deliveries: [Delivery] = [],
        foreignIdentifiers: [ForeignIdentifier] = [],
        documents: [Document] = [],
        writePrecondition: WritePrecondition? = nil,
        erasure: Erasure? = nil,
        audit: AuditRecord? = nil
    ) {
        self.accounts = accounts
        self.rows = rows
        self.redemptions = redemptions
        self.notifications = notifications
        self.signed = signed
        self.deliveries = deliveries
        self.foreignIdentifiers = foreignIdentifiers
        self.documents = documents
        self.writePrecondition = writePrecondition
        self.erasure = erasure
        self.audit = audit
    }

    /// Whether the change contains no writes other than an audit record.
    package var isEmpty: Bool {
        accounts.isEmpty && rows.isEmpty && redemptions.isEmpty && notifications.isEmpty && signed.isEmpty
            && deliveries.isEmpty && foreignIdentifiers.isEmpty && documents.isEmpty && erasure == nil
    }
}

extension Change {
    /// Whether the change contains signatures of a chain, whose document must then be stored.
    package var hasSignatures: Bool { !signed.isEmpty || notifications.contains { $0.content.signed != nil } }
}

/// An account to write.
package struct AccountChange: Sendable {
    /// The new state of the account, with its new version.
    package var account: Account
    /// The version that the stored account must still have; nil for a new account.
    package var before: Int64?
    /// The instant of the account's next event; nil if there is none.
    package var nextDue: Timestamp?
    /// Whether the account moves to another clock. Its pending deliveries move with it.
    package var changesClock: Bool

    /// An account to write.
    package init(account: Account, before: Int64?, nextDue: Timestamp? = nil, changesClock: Bool = false) {
        self.account = account
        self.before = before
        self.nextDue = nextDue
        self.changesClock = changesClock
    }
}

/// The reason why a change was not committed. No part of it was written.
package enum CommitFailure: Error, Sendable {
    /// Another writer changed the account first. Load the account again and repeat the decision.
    case conflict(AccountID)
    /// The offer code has reached its limit of redemptions.
    case codeUsedUp(CodeRedemption)
    /// An identifier of another store exists already in the app's environment: it was imported, or Till created it.
    case identifierExists(String)
    /// The decision used a configuration that has changed since. Reload the configuration and repeat the decision.
    case preconditionFailed
    /// The engine failed. The text is for the log only.
    case engine(String)
    /// The engine failed, but the same change may succeed later. The outcome can be unknown. The text is for the log
    /// only.
    case temporary(String)
    /// The disk is full. The text is for the log only.
    case diskFull(String)

    /// The failure that an engine's error caused.
    package init(_ error: any Error) {
        if error.isFullDisk {
            self = .diskFull(error.logText)
        } else {
            self = error.isTransient ? .temporary(error.logText) : .engine(error.logText)
        }
    }
}

extension CommitFailure: CustomStringConvertible {
    /// The text for the log.
    package var description: String {
        switch self {
        case .conflict(let account): "another writer changed account \(account.number) first"
        case .codeUsedUp(let redemption): "code offer \(redemption.offerID) has reached its redemption limit"
        case .identifierExists(let text): "the identifier \(text) exists"
        case .preconditionFailed: "the configuration has changed since the decision"
        case .engine(let words), .temporary(let words), .diskFull(let words): words
        }
    }
}
