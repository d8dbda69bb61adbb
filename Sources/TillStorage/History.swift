import TillCore

/// Which rows of an account's history are wanted (docs/api/history.md). Absent filters let everything through;
/// different filters must all hold.
package struct HistoryFilter: Hashable, Sendable {
    /// Rows purchased at or after.
    package var startDate: Timestamp?
    /// Rows purchased before.
    package var endDate: Timestamp?
    /// Any of these products; empty is all.
    package var productIDs: Set<String>
    /// Any of these types; empty is all.
    package var productTypes: Set<ProductType>
    /// Only what was bought, or only what the family shares; nil is both.
    package var ownership: Ownership?
    /// Any of these groups; empty is all.
    package var groups: Set<String>
    /// Only revoked, or only not revoked.
    package var revoked: Bool?
    /// Leaves out consumables that are finished and not revoked, as the first version of the route does.
    package var leavesOutFinishedConsumables: Bool

    /// A filter; by default everything passes.
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
    /// Ascending: rows changed after this number. Descending: rows changed before it. Nil begins at that end.
    package var position: Int64?
    /// Whether the row that changed longest ago comes first.
    package var isAscending: Bool
    /// Rows that do not pass are skipped and do not count towards the limit.
    package var filter: HistoryFilter
    /// At most so many rows.
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
    /// In the order that was asked for; all of them pass the filter.
    package var rows: [Transaction]
    /// Whether more rows that pass the filter follow.
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
