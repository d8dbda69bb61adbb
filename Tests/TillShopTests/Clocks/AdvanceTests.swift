import GRDB
import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Advances clocks, and checks the notifications and their delivery.
@Suite("Advancing clocks")
struct AdvanceTests {
    static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    static let clock = ClockName(scope)

    @Test("An advance of a year renews monthly and sends a signed notification of each renewal, oldest first")
    func year() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let post = try await WebhookReceiver.start { _ in .status(200) }
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "\(post.url)/notifications")]
        }
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let deliveryWorker = try test.startSending()
        try await test.buy("pro", by: "ann")
        let (report, deliveries) = try await test.advanceAndSettle(Self.clock, .byPeriod(Period(1, .year)))
        #expect(report.notifications.map { "\($0.notice.words) \($0.count)" } == ["DID_RENEW 12"])
        #expect(
            deliveries.pending.isEmpty && deliveries.delivered >= 12 && report.quarantine.isEmpty
                && report.accounts == 1
        )
        let received = try await post.requests(atLeast: 13, within: .seconds(120))
        #expect(received.count == 13)
        let account = try #require(try await test.sandbox.account(of: "ann"))
        #expect(account.rowCount == 13 && account.subscriptions[0].status == .active)
        let entries = try await test.shop.storage.notifications(
            NotificationQuery(scope: Self.scope, endpoint: EndpointRecord.primary, limit: 100)
        )
        #expect(entries.map(\.type) == ["SUBSCRIBED"] + Array(repeating: "DID_RENEW", count: 12))
        let bodies = try await test.signedPayloads(entries)
        for (body, request) in zip(bodies, received) {
            let text = #"{"signedPayload":""# + body + #""}"#
            #expect(String(decoding: request.body, as: UTF8.self) == text)
        }
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("An unreadable account is quarantined with the reason, and the advance continues")
    func poisoned() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        for customer in ["ann", "bob", "cat"] { try await test.buy("pro", by: customer) }
        let bob = try #require(try await test.sandbox.account(of: "bob"))
        let pool = try DatabasePool(path: test.directory.database)
        try await pool.write { try $0.execute(sql: "UPDATE accounts SET state = '{}' WHERE customer = 'bob'") }
        try pool.close()
        let report = try await test.shop.advance(Self.clock, .byPeriod(Period(3, .month)))
        #expect(report.quarantine == ["bob"])
        #expect(report.notifications.map { "\($0.notice.words) \($0.count)" } == ["DID_RENEW 6"])
        #expect(test.shop.quarantine.all.keys.contains(bob.id))
    }

    @Test("Events that fell due while the server was stopped happen in order, and each renewal has its own dates")
    func replay() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let bought = try await test.buy("pro", by: "ann")
        test.advance(100 * 86_400_000)
        let ticker = Ticker(test.shop)
        let running = Task { try await ticker.run() }
        let account = try #require(try await test.sandbox.account(of: "ann"))
        var rows: [Transaction] = []
        for _ in 0..<600 {
            rows = try await test.shop.storage.history(HistoryQuery(account: account.id, limit: 100)).rows
            if rows.count >= 5 { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        running.cancel()
        #expect(rows.count == 5 && rows.first?.id == bought.id)
        for (earlier, later) in zip(rows, rows.dropFirst()) { #expect(later.purchaseDate == earlier.expiresDate) }
    }

    @Test("A notification of an advance is sent with the date on which its event was due", arguments: [true, false])
    func attemptsOnTheWay(settling: Bool) async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let post = try await WebhookReceiver.start { _ in .status(500) }
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "\(post.url)/notifications")]
        }
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let deliveryWorker = try test.startSending()
        try await test.buy("pro", by: "ann")
        let target = AdvanceTarget.byPeriod(Period(2, .month))
        if settling {
            try await test.advanceAndSettle(Self.clock, target)
        } else {
            _ = try await test.shop.advance(Self.clock, target)
        }
        let query = NotificationQuery(scope: Self.scope, limit: 10)
        var first: [SendAttempt] = []
        for _ in 0..<500 where first.count < 3 {
            first = []
            for entry in try await test.shop.storage.notifications(query) {
                first += try await test.shop.storage.deliveries(of: entry.id).compactMap(\.attempts.first)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        let made = try await test.shop.storage.notifications(query).map(\.signedDate.wholeSecond)
        #expect(made.count == 3 && first.map(\.date.wholeSecond) == made)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("A notification of a customer whose clock is ahead of a frozen clock is sent at once")
    func aheadOfTheClock() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let post = try await WebhookReceiver.start { _ in .status(200) }
        try await test.shop.setup.updateRules(of: Self.scope) {
            $0.endpoints = [EndpointRecord(url: "\(post.url)/notifications")]
        }
        let deliveryWorker = try test.startSending()
        let later = test.now.advanced(milliseconds: 86_400_000)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        // A customer who leaves a clock that is ahead continues at the date of the last event on that clock.
        try await test.shop.createClock(ClockName(Self.scope, own: "ahead"), .frozen(at: later))
        _ = try await test.shop.openAccount(test.customer("ann"), Opening(clock: "ahead"))
        _ = try await test.shop.perform(.useClock(nil), by: test.customer("ann"))
        #expect(try await test.buy("pro", by: "ann").purchaseDate == later.wholeSecond)
        #expect(test.shop.now(on: Self.clock) < later)
        #expect(try await post.requests(atLeast: 1, within: .seconds(120)).count == 1)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("A customer who is assigned to a clock that is ahead advances to its time")
    func laterClock() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        try await test.buy("pro", by: "ann")
        let own = ClockName(Self.scope, own: "ahead")
        let ahead = test.now.advanced(milliseconds: 100 * 86_400_000)
        try await test.shop.createClock(own, .frozen(at: ahead))
        let outcome = try await test.shop.perform(.useClock("ahead"), by: test.customer("ann"))
        let account = try #require(try await test.shop.storage.account(outcome.account.id))
        #expect(account.clockName == own)
        // These are the transactions of the free week and of four months; the last month is the current period.
        #expect(account.rowCount == 5)
        #expect(account.subscriptions[0].status == .active)
    }

    @Test("When a stop interrupts a job, no account fails, is quarantined or is skipped")
    func stopped() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        for customer in ["ann", "bob"] { try await test.buy("pro", by: customer) }
        // More events fall due than one database transaction processes. The stop comes after the first transaction.
        test.advance(3_650 * 86_400_000)
        let shop = test.shop
        shop.signals.add(Signals.Listener(notifications: { [weak shop] _ in shop?.stopLongWork() }))
        let wanted = MassExtension(productID: "pro", days: 3, reasonCode: 1, request: "r")
        await #expect(throws: ShopBusy.self) {
            _ = try await shop.jobRunner.start(.extend(wanted), in: Self.scope, id: "job")
        }
        let job = try #require(try await shop.jobs.job("job"))
        #expect(job.failed == 0 && job.succeeded == 0 && job.position == nil && job.state != .done)
        await #expect(throws: ShopBusy.self) {
            _ = try await shop.advance(Self.clock, .by(milliseconds: 86_400_000))
        }
        #expect(shop.quarantine.all.isEmpty)
    }

    @Test("An operation processes a limited number of due events, and the ticker processes the others")
    func limitedEvents() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let ann = test.customer("ann", in: .production)
        let start = test.now.advanced(milliseconds: -15 * 365 * 86_400_000)
        let purchase = Command.purchase(Purchase(productID: "pro"))
        try await Shop.$maxEventsAtOnce.withValue(64) {
            // The operation itself succeeds, although not all renewals since then are processed.
            let bought = try await test.shop.perform(purchase, by: ann, at: start, opening: Opening())
            #expect(bought.account.rowCount >= 1)
            let now = test.now
            let account = try #require(try await test.shop.storage.account(of: ann))
            #expect(account.rowCount < 100 && account.lastEvent < now)
            // The next operation finds more due events than it may process, and does nothing else.
            await #expect(throws: ShopBusy.self) { _ = try await test.shop.perform(.useCard(.declined), by: ann) }
            let later = try #require(try await test.shop.storage.account(of: ann))
            #expect(later.rowCount > account.rowCount && later.rowCount < 170)
        }
        let ticker = Ticker(test.shop)
        await ticker.tick()
        for _ in 0..<1_000 where try await test.shop.storage.account(of: ann)?.rowCount ?? 0 < 180 {
            try await Task.sleep(for: .milliseconds(20))
        }
        _ = try await Shop.$maxEventsAtOnce.withValue(64) {
            try await test.shop.perform(.useCard(.declined), by: ann)
        }
        #expect(try await test.shop.storage.account(of: ann)?.rowCount ?? 0 >= 180)
    }

    @Test("A server that stops ends an operation with many due events")
    func stoppingOperation() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        let ann = test.customer("ann", in: .production)
        let start = test.now.advanced(milliseconds: -15 * 365 * 86_400_000)
        test.shop.stopLongWork()
        await #expect(throws: ShopBusy.self) {
            let purchase = Command.purchase(Purchase(productID: "pro"))
            _ = try await test.shop.perform(purchase, by: ann, at: start, opening: Opening())
        }
        #expect(try await test.shop.storage.account(of: ann)?.rowCount ?? 0 < 100)
    }
}
