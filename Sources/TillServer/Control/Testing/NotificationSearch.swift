import TillCore
import TillStorage

/// A page of notifications of which some filter may be met by few, far apart, with no index that leads from one to the
/// next. It looks at so many at the most and says where to go on, so that a page costs the same in a shop of any size.
struct NotificationSearch {
    /// Without a limit of its own.
    let query: NotificationQuery
    /// At most so many are found.
    let limit: Int

    /// How many are looked at for one page.
    static let most = 1_000
    private static let step = 200

    /// What was found, and where the next page begins; nil when there is no more.
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
                // Whether more follow, the next page says.
                if found.count == limit { return (found, entry) }
            }
            seen += entries.count
            guard let last = entries.last, entries.count == Self.step else { return (found, nil) }
            guard seen < Self.most else { return (found, last) }
            range.after = (last.signedDate, last.id)
        }
    }

    /// Several pages as one: of what failed at any of several endpoints, each has its own.
    ///
    /// - Parameter pages: newest first. Where one of them ends all that is older has not been read.
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

    /// Deliveries lie by type; among those that failed, or of an account, they do not.
    private var isTypeIndexed: Bool { query.endpoint != nil && !query.onlyFailures && query.account == nil }

    private func isWanted(_ entry: OutboxEntry) -> Bool {
        guard query.type == nil || entry.type == query.type else { return false }
        return !query.isSubtypeFixed || entry.subtype == query.subtype
    }
}
