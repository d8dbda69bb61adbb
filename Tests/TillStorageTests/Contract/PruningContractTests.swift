import Testing
import TillCore
import TillStorage

@Suite("Every storage engine finds old notifications, and keeps pending ones")
struct PruningContractTests {
    private func ids(_ prunable: [Prunable]) -> [Int64] { prunable.map { $0.signedDate.milliseconds } }

    /// Seven notifications of two customers, with the signing dates 1 to 7. The third is a test, and the first three
    /// are not pending.
    private func notifications(_ fixture: StorageFixture) async throws {
        let accounts = [fixture.account("ann", number: 1), fixture.account("bob", number: 2)]
        for account in accounts { _ = try await fixture.commit(account, rows: []) }
        for counter in 1...7 where counter != 3 {
            try await fixture.notify(accounts[counter % 2], number: Int64(counter))
        }
        let test = OutboxEntry(
            id: NotificationID(3 * 1_024),
            scope: StorageFixture.scope,
            account: nil,
            original: nil,
            transaction: nil,
            uuid: "test",
            type: "TEST",
            subtype: nil,
            isTriggered: false,
            signedDate: Timestamp(milliseconds: 3),
            content: .signed(NotificationParts(body: SignedPart(payload: [1], signature: [2])), chain: "chain")
        )
        try await fixture.storage.commit([Change(notifications: [test])])[0].get()
        let due = try await fixture.storage.dueDeliveries(
            to: "primary",
            on: ClockName(StorageFixture.scope),
            until: Timestamp(milliseconds: 2),
            limit: 10
        ).deliveries
        try await fixture.storage.record(
            due.map { delivery in
                var delivery = delivery
                delivery.due = nil
                delivery.isDelivered = true
                delivery.attempts = [SendAttempt(date: delivery.signedDate, result: .success, milliseconds: 1)]
                return delivery
            }
        )
    }

    @Test("Pages of old notifications are in the order of signing, within all limits", arguments: Engine.allCases)
    func pages(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        try await notifications(fixture)
        let storage = fixture.storage
        var query = PruneQuery(scope: StorageFixture.scope, signedBefore: Timestamp(milliseconds: 7), limit: 4)
        let first = try await storage.prunable(query)
        #expect(ids(first) == [1, 2, 3, 4])
        #expect(first.map(\.deliveries) == [1, 1, 0, 1] && first.map(\.pending) == [0, 0, 0, 1])
        query.after = (first[3].signedDate, first[3].id)
        #expect(ids(try await storage.prunable(query)) == [5, 6])
        query.after = nil
        query.testsBefore = Timestamp(milliseconds: 3)
        #expect(ids(try await storage.prunable(query)) == [1, 2, 4, 5])
        query.below = NotificationID(5 * 1_024)
        #expect(ids(try await storage.prunable(query)) == [1, 2, 4])
        let other = AccountScope(environment: .production, app: StorageFixture.scope.app)
        #expect(try await storage.prunable(PruneQuery(scope: other, signedBefore: query.signedBefore)) == [])
    }

    @Test("A pending notification is kept with all its deliveries, whatever the arguments", arguments: Engine.allCases)
    func pruned(_ engine: Engine) async throws {
        let fixture = try StorageFixture(engine)
        try await notifications(fixture)
        let storage = fixture.storage
        let query = PruneQuery(scope: StorageFixture.scope, signedBefore: Timestamp(milliseconds: 100))
        let all = try await storage.prunable(query)
        try await storage.prune(all.map(\.id))
        let left = try await storage.prunable(query)
        #expect(ids(left) == [4, 5, 6, 7] && left.allSatisfy { $0.pending == 1 && $0.deliveries == 1 })
        let clock = ClockName(StorageFixture.scope)
        #expect(try await storage.pendingDeliveries(on: clock, until: nil) == 4)
        let pending = PendingDeliveries(clock: clock, count: 4, oldest: Timestamp(milliseconds: 4))
        #expect(try await storage.pendingDeliveriesByClock() == [pending])
        #expect(try await storage.size().bytes > 0)
        try await storage.redeliver(left[0].id, to: ["primary"], due: Timestamp(milliseconds: 9))
        try await storage.prune(all.map(\.id))
        #expect(try await storage.prunable(query).count == 4)
        #expect(try await storage.notification(all[0].id) == nil)
        #expect(try await storage.deliveries(of: all[0].id) == [])
    }
}
