import TillCore
import TillStorage

/// Finds a page of notifications with filters that may match few notifications and have no index. A page reads a
/// limited number of notifications, and returns where the next page starts. So its cost does not grow with the shop.
struct NotificationSearch {
    /// The filters, without a limit.
    let query: NotificationQuery
    /// The maximum number of results of a page.
    let limit: Int

    /// The maximum number of notifications read for one page.
    static let limit = 1_000
    private static let step = 200

    /// The results, and the notification after which the next page starts; nil on the last page.
    func page(in storage: any Storage) async throws -> (found: [OutboxEntry], last: OutboxEntry?) {
        guard isFiltered else {
            var query = query
            query.limit = limit + 1
            let entries = try await storage.notifications(query)
            return (Array(entries.prefix(limit)), entries.count > limit ? entries[limit - 1] : nil)
        }
        var range = query
        range.limit = Self.step
        range.isSubtypeFixed = false
        range.subtype = nil
        if !isTypeIndexed { range.type = nil }
        var found: [OutboxEntry] = []
        var seen = 0
        while true {
            let entries = try await storage.notifications(range)
            for entry in entries {
                if isWanted(entry) { found.append(entry) }
                // Reading on would only show whether more match; the next page shows that, too.
                if found.count == limit { return (found, entry) }
            }
            seen += entries.count
            guard let last = entries.last, entries.count == Self.step else { return (found, nil) }
            guard seen < Self.limit else { return (found, last) }
            range.after = (last.signedDate, last.id)
        }
    }

    /// Merges the pages of several endpoints, to find notifications that failed at any of them.
    ///
    /// - Parameter pages: pages with the newest notification first. The result ends where the first of the pages ends,
    ///   because that page may lack older notifications.
    static func merged(_ pages: [(found: [OutboxEntry], last: OutboxEntry?)], limit: Int) -> (
        found: [OutboxEntry], last: OutboxEntry?
    ) {
        func place(_ entry: OutboxEntry) -> (Timestamp, NotificationID) { (entry.signedDate, entry.id) }
        let bound = pages.compactMap(\.last).max { place($0) < place($1) }
        var seen: Set<NotificationID> = []
        let all = pages.flatMap(\.found).filter { seen.insert($0.id).inserted }.sorted { place($0) > place($1) }
        let read = bound.map { bound in all.filter { place($0) >= place(bound) } } ?? all
        guard read.count > limit else { return (read, bound) }
        return (Array(read.prefix(limit)), read[limit - 1])
    }

    private var isFiltered: Bool { query.isSubtypeFixed || (query.type != nil && !isTypeIndexed) }

    /// Whether an index covers the type. It does not for failed deliveries or for one account.
    private var isTypeIndexed: Bool { query.endpoint != nil && !query.onlyFailures && query.account == nil }

    private func isWanted(_ entry: OutboxEntry) -> Bool {
        guard query.type == nil || entry.type == query.type else { return false }
        return !query.isSubtypeFixed || entry.subtype == query.subtype
    }
}
