import TillCore

/// An account in a list. Accounts are read separately, so that one that cannot be read does not hide the others.
package enum StoredAccount: Equatable, Sendable {
    case sound(Account)
    case damaged(DamagedAccount)

    /// The number; lists are ordered by it.
    package var id: AccountID {
        switch self {
        case .sound(let account): account.id
        case .damaged(let damaged): damaged.account
        }
    }

    /// The customer's name.
    package var customer: String {
        switch self {
        case .sound(let account): account.customer
        case .damaged(let damaged): damaged.customer
        }
    }

    /// The account; nil if it cannot be read.
    package var account: Account? {
        if case .sound(let account) = self { account } else { nil }
    }

    /// Why the account cannot be read; nil if it can.
    package var damage: DamagedAccount? {
        if case .damaged(let damaged) = self { damaged } else { nil }
    }

    /// The account.
    ///
    /// - Throws: `DamagedAccount` if it cannot be read.
    package func get() throws(DamagedAccount) -> Account {
        switch self {
        case .sound(let account): return account
        case .damaged(let damaged): throw damaged
        }
    }
}

extension Storage {
    /// An account by its number, or why it cannot be read.
    package func storedAccount(_ id: AccountID) async throws -> StoredAccount? {
        do {
            return try await account(id).map { .sound($0) }
        } catch let damaged as DamagedAccount {
            return .damaged(damaged)
        }
    }

    /// The readable accounts among those that `storedAccounts` finds. To count, or to go from page to page, use
    /// `storedAccounts`.
    package func accounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [Account] {
        try await storedAccounts(of: scope, after: after, limit: limit).compactMap(\.account)
    }
}
