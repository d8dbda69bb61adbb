import TillCore

/// A filter for the rows of an account's history (docs/api/history.md). Absent conditions match everything; a row must
/// meet all others.
package struct HistoryFilter: Hashable, Sendable {
    /// Rows purchased at or after this date.
    package var startDate: Timestamp?
    /// Rows purchased before this date.
    package var endDate: Timestamp?
    /// Any of these products; empty means all.
    package var productIDs: Set<String>
    /// Any of these types; empty means all.
    package var productTypes: Set<ProductType>
    /// Only purchases, or only what a family member shares; nil means both.
    package var ownership: Ownership?
    /// Any of these groups; empty means all.
    package var groups: Set<String>
    /// Only revoked, or only not revoked.
    package var revoked: Bool?
    /// Leaves out consumables that are finished and not revoked, as version 1 of the route does.
    package var leavesOutFinishedConsumables: Bool

    /// A filter; by default everything matches.
    package init(
        startDate: Timestamp? = nil,
        endDate: Timestamp? = nil,
        productIDs: Set<String> = [],
        productTypes: Set<ProductType> = [],
        ownership: Ownership? = nil,
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

/// A page of an account's history, in the order of change numbers.
package struct HistoryQuery: Sendable {
    package var account: AccountID
    /// Ascending: rows changed after this number. Descending: rows changed before it. Nil starts at that end.
    package var position: Int64?
    /// Whether the oldest change comes first.
    package var isAscending: Bool
    /// Rows that do not match are skipped and do not count towards the limit.
    package var filter: HistoryFilter
    /// The maximum number of rows.
    package var limit: Int

    /// A page.
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

/// The rows of a page.
package struct HistoryPage: Sendable {
    /// In the requested order; all of them match the filter.
    package var rows: [Transaction]
    /// Whether more matching rows follow.
    package var hasMore: Bool
    /// The account's last change number when the page was read.
    package var head: Int64

    /// A page as it was read.
    package init(rows: [Transaction], hasMore: Bool, head: Int64) {
        self.rows = rows
        self.hasMore = hasMore
        self.head = head
    }
}
