import Testing
import TillCore
import TillStorage

@Suite("Every storage engine pages the notification history by signing date")
struct OutboxContractTests {
    private func passes(_ notifications: (entry: OutboxEntry, delivery: Delivery), _ query: NotificationQuery) -> Bool {
        let (entry, delivery) = notifications
        if query.endpoint != nil, delivery.attempts.isEmpty { return false }
        if query.endpoint != nil, query.onlyFailures, delivery.isDelivered { return false }
        if query.endpoint == nil, query.kind != .every, entry.content.isVersionOne { return false }
        if query.endpoint == nil, query.kind == .caused, entry.isTriggered { return false }
        if let account = query.account, account != entry.account { return false }
        if let type = query.type, type != entry.type { return false }
        if query.isSubtypeFixed, query.subtype != entry.subtype { return false }
        if let from = query.from, entry.signedDate < from { return false }
        if let to = query.to, entry.signedDate > to { return false }
        return true
    }

    private static let narrowings: [(Bool, NotificationQuery.Kind)] = [
        (false, .every), (false, .signed), (false, .caused), (true, .every),
    ]

    @Test(
        "The pages of every filter, in each direction, equal a full read with the same filter",
        arguments: Engine.allCases
    )
    func pages(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await NotificationSample.notifications(fixture)
        let accounts = Set(all.compactMap(\.entry.account)).sorted { $0.number < $1.number }
        for query in NotificationSample.queries {
            for (onlyFailures, kind) in Self.narrowings {
                for account in [nil] + accounts.map(Optional.some) {
                    var query = query
                    query.onlyFailures = onlyFailures
                    query.kind = kind
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

    @Test("The first signatures of a notification stay", arguments: Engine.allCases)
    func signatures(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await NotificationSample.notifications(fixture).map(\.entry)
        let storage = fixture.storage
        func signed(by chain: String) -> [OutboxEntry] {
            all.map { entry in
                var entry = entry
                let part = SignedPart(payload: entry.content.body, signature: Array(chain.utf8))
                entry.content = .signed(NotificationParts(body: part), chain: chain)
                return entry
            }
        }
        for chain in ["first", "second"] {
            try await storage.commit([Change(signed: signed(by: chain))])[0].get()
            let stored = try await storage.notifications(numbered: all.map(\.id))
            let wanted = zip(all, signed(by: "first")).map { $0.content.isUnsigned ? $1 : $0 }
            #expect(stored == wanted && wanted != all)
        }
        let asked = [all[3].id, NotificationID(5), all[1].id]
        #expect(try await storage.notifications(numbered: asked).map(\.id) == [asked[0], asked[2]])
    }

    @Test(
        "The deliveries of a page are read in one query; a notification without deliveries has no entry",
        arguments: Engine.allCases
    )
    func deliveries(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await NotificationSample.notifications(fixture)
        let some = all.prefix(7)
        let ids = some.map(\.entry.id)
        let found = try await fixture.storage.deliveries(of: ids + [NotificationID(5)], to: "primary")
        #expect(found == Dictionary(uniqueKeysWithValues: some.map { ($0.entry.id, $0.delivery) }))
        #expect(try await fixture.storage.deliveries(of: ids, to: "another").isEmpty)
        let whole = try await fixture.storage.deliveries(of: ids + [NotificationID(5)])
        #expect(whole == Dictionary(uniqueKeysWithValues: some.map { ($0.entry.id, [$0.delivery]) }))
        #expect(try await fixture.storage.deliveries(of: []).isEmpty)
    }

    @Test("A delivery that was discarded during an attempt stays discarded", arguments: Engine.allCases)
    func discarded(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await NotificationSample.notifications(fixture)
        var delivery = try #require(all.map(\.delivery).first { $0.due != nil })
        try await fixture.storage.dropDeliveries(to: "primary", in: StorageFixture.scope)
        delivery.attempts = [SendAttempt(date: Timestamp(milliseconds: 1), result: .timedOut, milliseconds: 1)]
        delivery.due = Timestamp(milliseconds: 3_600_001)
        try await fixture.storage.record([delivery])
        let stored = try await fixture.storage.deliveries(of: [delivery.notification])[delivery.notification]?.first
        #expect(stored?.due == nil && stored?.attempts == delivery.attempts)
    }

    @Test("A delivery that was requested again during an attempt is made again", arguments: Engine.allCases)
    func requestedAgain(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        let all = try await NotificationSample.notifications(fixture)
        var delivery = try #require(all.map(\.delivery).first { $0.due != nil })
        let due = try #require(delivery.due)
        // On a frozen clock, a request has the date of the attempt in progress.
        for _ in 1...2 {
            try await fixture.storage.redeliver(delivery.notification, to: [delivery.endpoint], due: due)
        }
        (delivery.attemptDue, delivery.due, delivery.isDelivered) = (due, nil, true)
        delivery.attempts = [SendAttempt(date: due, result: .success, milliseconds: 1)]
        try await fixture.storage.record([delivery])
        let again = try await fixture.storage.deliveries(of: [delivery.notification])[delivery.notification]?.first
        #expect(again?.due == due.advanced(milliseconds: -2) && again?.attempts == delivery.attempts)
        (delivery.attemptDue, delivery.attempts) = (again?.due, delivery.attempts + delivery.attempts)
        try await fixture.storage.record([delivery])
        let done = try await fixture.storage.deliveries(of: [delivery.notification])[delivery.notification]?.first
        #expect(done?.due == nil && done?.attempts.count == 2)
    }
}
