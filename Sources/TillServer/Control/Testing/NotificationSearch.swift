import TillCore
import TillStorage

/// Finds a page of notifications with filters that may have few matches and no index. It reads a limited number of
/// notifications and returns where to continue, so that a page costs the same in a shop of any size.
struct NotificationSearch {
    /// The query, without its own limit.
    let query: NotificationQuery
    /// The maximum number of results.
    let limit: Int

    /// The maximum number of notifications read for one page.
    static let limit = 1_000
    private static let step = 200

    /// The results, and the start of the next page; nil on the last page.
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
                // The next page shows whether more follow.
                if found.count == limit { return (found, entry) }
            }
            seen += entries.count
            guard let last = entries.last, entries.count == Self.step else { return (found, nil) }
            guard seen < Self.limit else { return (found, last) }
            range.after = (last.signedDate, last.id)
        }
    }

    /// Merges the pages of several endpoints, for notifications that failed at any of them.
    ///
    /// - Parameter pages: newest first. Notifications older than the end of any of the pages are not complete.
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

    /// Whether an index covers the type: it does not for failed deliveries or for one account.
    private var isTypeIndexed: Bool { query.endpoint != nil && !query.onlyFailures && query.account == nil }

    private func isWanted(_ entry: OutboxEntry) -> Bool {
        guard query.type == nil || entry.type == query.type else { return false }
        return !query.isSubtypeFixed || entry.subtype == query.subtype
    }
}
