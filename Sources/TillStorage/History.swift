import TillCore

/// A filter for the transactions of an account's history (docs/api/history.md). A transaction must meet every condition
/// that is set.
package struct HistoryFilter: Hashable, Sendable {
    /// Only transactions purchased at or after this date.
    package var startDate: Timestamp?
    /// Only transactions purchased before this date.
    package var endDate: Timestamp?
    /// Only transactions of these products; empty for all products.
    package var productIDs: Set<String>
    /// Only transactions of these product types; empty for all types.
    package var productTypes: Set<ProductKind>
    /// Only purchases, or only what a family member shares; nil for both.
    package var ownership: InAppOwnershipType?
    /// Only transactions of these subscription groups; empty for all transactions.
    package var groups: Set<String>
    /// Only revoked transactions, or only others; nil for both.
    package var revoked: Bool?
    /// Whether to omit consumables that are finished and not revoked, as version 1 of the transaction history does.
    package var leavesOutFinishedConsumables: Bool

    /// A filter. By default it matches every transaction.
    package init(
        startDate: Timestamp? = nil,
        endDate: Timestamp? = nil,
        productIDs: Set<String> = [],
        productTypes: Set<ProductKind> = [],
        ownership: InAppOwnershipType? = nil,
        groups: Set<String> = [],
        revoked: Bool? = nil,
        leavesOutFinishedConsumables: Bool = false
    ) {
        self.startDate = startDate
        self.endDate = endDate
        self.productIDs = productIDs
        self.productTypes = productTypes
        self.ownership = ownership
        self.groups = groups
        self.revoked = revoked
        self.leavesOutFinishedConsumables = leavesOutFinishedConsumables
    }
}

/// A query for one page of an account's history, ordered by change number.
package struct HistoryQuery: Hashable, Sendable {
    package var account: AccountID
    /// The change number after which the page begins (ascending), or before which it begins (descending). Nil begins
    /// with the first change of that order.
    package var position: Int64?
    /// Whether the oldest change is first.
    package var isAscending: Bool
    /// The filter. Transactions that do not match are skipped, and do not count toward the limit.
    package var filter: HistoryFilter
    /// The maximum number of transactions in the page.
    package var limit: Int

    /// A query for one page.
    package init(
        account: AccountID,
        position: Int64? = nil,
        isAscending: Bool = true,
        filter: HistoryFilter = HistoryFilter(),
        limit: Int = 20
    ) {
        self.account = account
        self.position = position
        self.isAscending = isAscending
        self.filter = filter
        self.limit = limit
    }
}

/// One page of an account's history.
package struct HistoryPage: Sendable {
    /// The transactions in the requested order. All of them match the filter.
    package var rows: [Transaction]
    /// Whether more matching transactions follow this page.
    package var hasMore: Bool
    /// The account's last change number at the time of the read.
    package var head: Int64

    /// A page that was read.
    package init(rows: [Transaction], hasMore: Bool, head: Int64) {
        self.rows = rows
        self.hasMore = hasMore
        self.head = head
    }
}

/// The state of an account that its history depends on. As long as two stamps are equal, the account has the same
/// history.
package struct AccountStamp: Hashable, Sendable {
    package var account: AccountID
    /// The account's version, which every change of the account increments.
    package var version: Int64
    /// The account's last change number.
    package var changeNumber: Int64
    /// The epoch of a shared database. A restore can bring back an earlier version, but begins another epoch. Always 0
    /// in SQLite, whose only server knows of every restore.
    package var epoch: Int64

    /// The state of an account.
    package init(account: AccountID, version: Int64, changeNumber: Int64, epoch: Int64) {
        self.account = account
        self.version = version
        self.changeNumber = changeNumber
        self.epoch = epoch
    }
}
