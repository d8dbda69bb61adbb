import TillCore
import TillStorage

extension PostgresStorage {
    /// Reads one index range and never uses an offset, so the five-hundredth page costs as much as the first.
    package func history(_ query: HistoryQuery) async throws -> HistoryPage {
        let step = Self.step(for: query)
        let (head, read) = try await pool.perform { session in
            let answer = try session.run(any: step.statement, step.arguments)
            // If no rows match, the statement returns one row that has nulls beside the account's last change number.
            let rows = try answer.map { row in
                try row.isNull(1) ? nil : Transaction(row, from: 1)
            }.compactMap { $0 }
            return (try answer.first?.int(0) ?? 0, rows)
        }
        // The statement reads the page in this order, but the join does not preserve the order.
        var rows = read.sorted { query.isAscending ? $0.change < $1.change : $0.change > $1.change }
        let hasMore = rows.count > query.limit
        if hasMore { rows.removeLast() }
        return HistoryPage(rows: rows, hasMore: hasMore, head: head)
    }

    /// The statement reads one row more than the page needs, which shows whether another page follows.
    static func step(for query: HistoryQuery) -> Step {
        let isUp = query.isAscending
        let page = Arguments(
            query.account.partition.number,
            query.account.number,
            query.position ?? (isUp ? .min : .max),
            query.limit + 1
        )
        let filter = query.filter
        if filter == HistoryFilter() { return Step(isUp ? .historyUp : .historyDown, page) }
        let filters = Arguments(
            filter.startDate?.milliseconds,
            filter.endDate?.milliseconds,
            TextList(filter.productIDs.sorted()),
            TextList(filter.productTypes.map(\.rawValue).sorted()),
            TextList(filter.groups.sorted()),
            filter.ownership?.rawValue,
            filter.revoked,
            filter.leavesOutFinishedConsumables
        )
        return Step(isUp ? .filteredHistoryUp : .filteredHistoryDown, page + filters)
    }
}
