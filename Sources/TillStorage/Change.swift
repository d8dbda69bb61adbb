import TillCore

/// What one command changes: committed whole or not at all.
package struct Change: Sendable {
    /// The accounts with their new state, each guarded by the version it was read at.
    package var accounts: [AccountChange]
    /// In the order in which they came about; each row stands once.
    package var rows: [RowChange]
    /// Counted against their limits in the same transaction.
    package var redemptions: [CodeRedemption]

    /// What one command changes.
    package init(accounts: [AccountChange], rows: [RowChange] = [], redemptions: [CodeRedemption] = []) {
        self.accounts = accounts
        self.rows = rows
        self.redemptions = redemptions
    }
}

/// An account to write.
package struct AccountChange: Sendable {
    /// The new state, with its new version.
    package var account: Account
    /// The version that must be in the engine still; nil for a new account.
    package var before: Int64?

    /// An account to write.
    package init(account: Account, before: Int64?) {
        self.account = account
        self.before = before
    }
}

/// Why a change was not committed. Nothing of it was written.
package enum CommitFailure: Error, Sendable {
    /// Somebody else changed the account first: load it again and decide again.
    case conflict(AccountID)
    /// The limit of a code was reached.
    case codeUsedUp(CodeRedemption)
    /// The engine failed; its own words, for the log only.
    case engine(String)
}
