import TillCore

/// An account of a list. Each account is read separately, so that an unreadable account does not hide the others.
package enum StoredAccount: Equatable, Sendable {
    case sound(Account)
    case damaged(DamagedAccount)

    /// The account id. Lists are ordered by it.
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

    /// The reason why the account cannot be read; nil if it can be read.
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
    /// The account with this number, or the reason why it cannot be read; nil if there is no such account.
    package func storedAccount(_ id: AccountID) async throws -> StoredAccount? {
        do {
            return try await account(id).map { .sound($0) }
        } catch let damaged as DamagedAccount {
            return .damaged(damaged)
        }
    }

    /// The accounts that `storedAccounts` returns, without those that cannot be read. Use `storedAccounts` to count
    /// accounts or to read page by page.
    package func accounts(of scope: AccountScope?, after: AccountID?, limit: Int) async throws -> [Account] {
        try await storedAccounts(of: scope, after: after, limit: limit).compactMap(\.account)
    }
}
