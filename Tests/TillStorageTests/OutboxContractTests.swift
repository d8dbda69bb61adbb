import GRDB
import Testing
import TillCore
import TillStorage

@testable import TillSQLite

@Suite("Every engine pages what was told by the date on which it was signed")
struct OutboxContractTests {
    private static let scope = StorageFixture.scope
    private static let types: [(String, String?)] = [
        ("DID_RENEW", nil), ("DID_RENEW", "BILLING_RECOVERY"), ("EXPIRED", "VOLUNTARY"), ("REFUND", nil),
    ]

    /// Sixty notifications of two customers and of the app, some at one instant: of every five one was not tried, two
    /// failed and two arrived.
    private func told(_ fixture: StorageFixture) async throws -> [(entry: OutboxEntry, delivery: Delivery)] {
        let ann = fixture.account("ann", number: 1)
        let bob = fixture.account("bob", number: 2)
        for account in [ann, bob] { _ = try await fixture.commit(account, rows: []) }
        let owners: [AccountID?] = [ann.id, bob.id, nil]
        var told: [(entry: OutboxEntry, delivery: Delivery)] = []
        for number in 1...60 {
            let (type, subtype) = Self.types[number % Self.types.count]
            let owner = owners[number % 3]
            let entry = OutboxEntry(
                id: NotificationID(Int64(number) * 1_024 + Int64((owner?.partition ?? ann.id.partition).number)),
                scope: Self.scope,
                account: owner,
                original: nil,
                transaction: nil,
                uuid: "uuid-\(number)",
                type: type,
                subtype: subtype,
                isTriggered: false,
                signedDate: Timestamp(milliseconds: Int64(number / 4) * 1_000),
                body: SignedPart(payload: Array("{}".utf8), signature: []),
                transactionInfo: nil,
                renewalInfo: nil,
                chain: "chain"
            )
            var delivery = Delivery(of: entry, to: "primary", clock: ClockName(Self.scope), due: entry.signedDate)
            let change = Change(notifications: [entry], deliveries: [delivery])
            try await fixture.storage.commit([change])[0].get()
            if number % 5 != 0 {
                delivery.isDelivered = number % 5 > 2
                let result: SendAttemptResult = delivery.isDelivered ? .success : .timedOut
                delivery.attempts = [SendAttempt(date: entry.signedDate, result: result, milliseconds: number)]
                delivery.due = nil
                try await fixture.storage.record([delivery])
            }
            told.append((entry, delivery))
        }
        return told.sorted { ($0.entry.signedDate, $0.entry.id) < ($1.entry.signedDate, $1.entry.id) }
    }

    private static let queries: [NotificationQuery] = {
        let from = Timestamp(milliseconds: 3_000)
        let to = Timestamp(milliseconds: 12_000)
        var queries: [NotificationQuery] = []
        for endpoint in ["primary", nil] {
            for isDescending in [false, true] {
                for (type, subtype, isFixed) in [
                    (nil, nil, false), ("DID_RENEW", nil, false), ("DID_RENEW", "BILLING_RECOVERY", true),
                    ("DID_RENEW", nil, true), ("TEST", nil, false),
                ] as [(String?, String?, Bool)] {
                    queries.append(
                        NotificationQuery(
                            scope: scope,
                            endpoint: endpoint,
                            from: from,
                            to: to,
                            type: type,
                            subtype: subtype,
                            isSubtypeFixed: isFixed,
                            isDescending: isDescending,
                            limit: 4
                        )
                    )
                }
            }
        }
        return queries
    }()

    private func passes(_ told: (entry: OutboxEntry, delivery: Delivery), _ query: NotificationQuery) -> Bool {
        let (entry, delivery) = told
        if query.endpoint != nil, delivery.attempts.isEmpty { return false }
        if query.endpoint != nil, query.onlyFailures, delivery.isDelivered { return false }
        if let account = query.account, account != entry.account { return false }
        if let type = query.type, type != entry.type { return false }
        if query.isSubtypeFixed, query.subtype != entry.subtype { return false }
        if let from = query.from, entry.signedDate < from { return false }
        if let to = query.to, entry.signedDate > to { return false }
        return true
    }

    @Test(
        "Pages of every filter, in both directions, come to what a reading of everything finds",
        arguments: [Engine.sqlite]
    )
    func pages(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await told(fixture)
        let accounts = Set(all.compactMap(\.entry.account)).sorted { $0.number < $1.number }
        for query in Self.queries {
            for onlyFailures in [false, true] {
                for account in [nil] + accounts.map(Optional.some) {
                    var query = query
                    query.onlyFailures = onlyFailures
                    query.account = account
                    let wanted = all.filter { passes($0, query) }.map(\.entry)
                    var found: [OutboxEntry] = []
                    while true {
                        let page = try await fixture.storage.notifications(query)
                        #expect(page.count <= 4)
                        guard let last = page.last else { break }
                        found += page
                        query.after = (last.signedDate, last.id)
                    }
                    #expect(found == (query.isDescending ? wanted.reversed() : wanted))
                }
            }
        }
    }

    @Test("The deliveries of a page are read together, and what has none is left out", arguments: [Engine.sqlite])
    func deliveries(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await told(fixture)
        let some = all.prefix(7)
        let ids = some.map(\.entry.id)
        let found = try await fixture.storage.deliveries(of: ids + [NotificationID(5)], to: "primary")
        #expect(found == Dictionary(uniqueKeysWithValues: some.map { ($0.entry.id, $0.delivery) }))
        #expect(try await fixture.storage.deliveries(of: ids, to: "another").isEmpty)
    }

    @Test("Every filter of the notification history is one range of an index, read in its order")
    func plans() async throws {
        let fixture = try StorageFixture(.sqlite)
        let ann = try #require(try await told(fixture).first { $0.entry.account != nil })
        let storage = try #require(fixture.storage as? SQLiteStorage)
        for query in Self.queries {
            for (onlyFailures, account, isLater) in [
                (false, nil, false), (true, nil, false), (false, ann.entry.account, false),
                (true, ann.entry.account, false), (false, nil, true), (true, ann.entry.account, true),
            ] as [(Bool, AccountID?, Bool)] {
                var query = query
                query.onlyFailures = onlyFailures
                query.account = account
                if isLater { query.after = (ann.entry.signedDate, ann.entry.id) }
                let wanted = query
                let plan = try await storage.pool.read { db in
                    let (sql, arguments) = SQLiteStorage.statement(for: wanted)
                    return try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: arguments)
                        .map { $0["detail"] as String }
                }
                let steps = plan.joined(separator: "; ")
                #expect(!steps.contains("TEMP B-TREE"), "\(steps)")
                #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") || $0 == "SCAN page" }, "\(steps)")
                // The bound of the range is the date, whatever stands before it.
                let bound = isLater ? "(signed_date,\(query.endpoint == nil ? "id" : "notification"))" : "signed_date"
                #expect(steps.contains(bound), "\(steps)")
            }
        }
    }
}
