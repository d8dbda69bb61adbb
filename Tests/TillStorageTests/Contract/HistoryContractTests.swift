import Testing
import TillCore
import TillStorage

@Suite("Every storage engine pages a history by change number")
struct HistoryContractTests {
    /// Creates a history with every kind of transaction, and another account of the same app.
    private func history(_ fixture: StorageFixture) async throws -> (Account, [Transaction]) {
        let ann = fixture.account("ann", number: 1)
        let types = ProductKind.allCases
        var rows: [Transaction] = []
        for number in 1...60 {
            let type = types[number % 4]
            rows.append(
                fixture.row(
                    ann,
                    Int64(number),
                    product: "p\(number % 5)",
                    type: type,
                    purchased: Int64(100 - number),
                    group: type == .autoRenewable ? "g\(number % 3)" : nil,
                    ownership: number % 7 == 0 ? .familyShared : .purchased,
                    refund: number % 6 == 0 ? Int64(number / 6) : nil,
                    finished: number % 2 == 0
                )
            )
        }
        let bob = fixture.account("bob", number: 2)
        _ = try await fixture.commit(bob, rows: [fixture.row(bob, 1)])
        return (try await fixture.commit(ann, rows: rows), rows)
    }

    private func passes(_ row: Transaction, _ filter: HistoryFilter) -> Bool {
        (filter.startDate.map { row.purchaseDate >= $0 } ?? true)
            && (filter.endDate.map { row.purchaseDate < $0 } ?? true)
            && (filter.productIDs.isEmpty || filter.productIDs.contains(row.productID))
            && (filter.productTypes.isEmpty || filter.productTypes.contains(row.type))
            && (filter.ownership == nil || filter.ownership == row.ownership)
            && (filter.groups.isEmpty || filter.groups.contains(row.groupID ?? ""))
            && (filter.revoked == nil || filter.revoked == (row.revocation != nil))
            && !(filter.leavesOutFinishedConsumables && row.type == .consumable && row.isFinished
                && row.revocation == nil)
    }

    private static let filters: [HistoryFilter] = [
        HistoryFilter(), HistoryFilter(startDate: Timestamp(milliseconds: 50_000)),
        HistoryFilter(endDate: Timestamp(milliseconds: 70_000)), HistoryFilter(productIDs: ["p1", "p3", "o'neil"]),
        HistoryFilter(productTypes: [.consumable]), HistoryFilter(productTypes: [.autoRenewable, .nonRenewing]),
        HistoryFilter(ownership: .familyShared), HistoryFilter(groups: ["g1", "g2"]), HistoryFilter(revoked: true),
        HistoryFilter(revoked: false), HistoryFilter(leavesOutFinishedConsumables: true),
        HistoryFilter(productIDs: ["nothing"]), HistoryFilter(productIDs: ["\0"]),
        HistoryFilter(productIDs: ["p1", "p\0"], groups: ["\0"]),
    ]

    private static func both(_ left: HistoryFilter, _ right: HistoryFilter) -> HistoryFilter {
        HistoryFilter(
            startDate: left.startDate ?? right.startDate,
            endDate: left.endDate ?? right.endDate,
            productIDs: left.productIDs.isEmpty ? right.productIDs : left.productIDs,
            productTypes: left.productTypes.isEmpty ? right.productTypes : left.productTypes,
            ownership: left.ownership ?? right.ownership,
            groups: left.groups.isEmpty ? right.groups : left.groups,
            revoked: left.revoked ?? right.revoked,
            leavesOutFinishedConsumables: left.leavesOutFinishedConsumables || right.leavesOutFinishedConsumables
        )
    }

    @Test(
        "The pages of a history add up to the complete history, in either order and with every pair of filters",
        arguments: Engine.allCases
    )
    func pages(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let (ann, rows) = try await history(fixture)
        var checked = 0
        for left in Self.filters {
            for right in Self.filters {
                let filter = Self.both(left, right)
                for isAscending in [true, false] {
                    let expected = rows.filter { passes($0, filter) }
                    var found: [Transaction] = []
                    var query = HistoryQuery(account: ann.id, isAscending: isAscending, filter: filter, limit: 7)
                    while true {
                        let page = try await fixture.storage.history(query)
                        #expect(page.head == 60)
                        #expect(page.rows.count <= 7)
                        found += page.rows
                        guard page.hasMore else { break }
                        query.position = page.rows.last?.change
                    }
                    #expect(found == (isAscending ? expected : expected.reversed()))
                    checked += 1
                }
            }
        }
        #expect(checked == Self.filters.count * Self.filters.count * 2)
    }

    @Test(
        "Refunds are sorted by their numbers, and can be read from any position or only the newest",
        arguments: Engine.allCases
    )
    func refunds(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let (ann, _) = try await history(fixture)
        let numbers = { (rows: [Transaction]) in rows.compactMap(\.refundNumber) }
        #expect(numbers(try await fixture.storage.refunds(of: ann.id, after: 0, limit: 4)) == [1, 2, 3, 4])
        #expect(numbers(try await fixture.storage.refunds(of: ann.id, after: 8, limit: 4)) == [9, 10])
        #expect(numbers(try await fixture.storage.latestRefunds(of: ann.id, limit: 3)) == [8, 9, 10])
    }

    @Test("Accounts are listed by number, for one app and environment or for all", arguments: Engine.allCases)
    func accounts(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        for number in 1...7 {
            _ = try await fixture.commit(fixture.account("c\(number)", number: Int64(number)), rows: [])
        }
        let all = try await fixture.storage.accounts(of: nil, after: nil, limit: 100)
        #expect(all.count == 7)
        #expect(all.map(\.id) == all.map(\.id).sorted())
        let page = try await fixture.storage.accounts(of: StorageFixture.scope, after: all[2].id, limit: 2)
        #expect(page.map(\.id) == [all[3].id, all[4].id])
        let elsewhere = AccountScope(environment: .production, app: "com.example")
        #expect(try await fixture.storage.accounts(of: elsewhere, after: nil, limit: 9).isEmpty)
    }
}
