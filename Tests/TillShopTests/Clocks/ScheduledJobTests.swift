import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// A bulk operation with a date is applied to each customer when the customer's own clock shows that date.
@Suite("Scheduled bulk operations")
struct ScheduledJobTests {
    private static let day: Int64 = 86_400_000
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let clock = ClockName(scope)

    private static func own(_ name: String) -> ClockName { ClockName(scope, own: name) }

    /// A shop with two subscribers: one on a frozen clock of the environment, one on a customer clock.
    private static func shop(ahead days: Int64) async throws -> TestShop {
        let test = try await TestShop(selling: SampleCatalog.all)
        _ = try await test.shop.setClock(clock, .freeze(at: nil))
        try await test.shop.createClock(own("other"), .frozen(at: test.now.advanced(milliseconds: days * day)))
        try await test.buy("pro", by: "ann")
        try await subscribe(test, "bob", on: "other")
        return test
    }

    private static func subscribe(_ test: TestShop, _ name: String, on clock: String) async throws {
        _ = try await test.shop.perform(
            .purchase(Purchase(productID: "pro")),
            by: test.customer(name),
            opening: Opening(clock: clock)
        )
    }

    private static func raise(_ test: TestShop) -> Job.Work {
        var prices = Product.pro.prices
        prices.standard = Money(milliunits: prices.standard.milliunits * 2, currency: prices.standard.currency)
        return .raisePrice(PriceRaise(productID: "pro", prices: prices))
    }

    /// The date on which the customer's price was increased; nil if it was not.
    private static func raised(_ test: TestShop, _ name: String) async throws -> Timestamp? {
        let account = try await test.sandbox.account(of: name)
        return try #require(account).subscriptions.first?.priceIncrease?.scheduledAt
    }

    @Test("A customer whose clock is past the date is processed at once; other customers are processed at the date")
    func past() async throws {
        let test = try await Self.shop(ahead: 60)
        let at = test.now.advanced(milliseconds: 30 * Self.day)
        let stored = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope, at: at)
        #expect(stored.state == .waiting && stored.succeeded == 1)
        #expect(try await Self.raised(test, "bob") == test.shop.now(on: Self.own("other")))
        #expect(try await Self.raised(test, "ann") == nil)
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 29 * Self.day))
        #expect(try await Self.raised(test, "ann") == nil)
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 5 * Self.day))
        #expect(try await Self.raised(test, "ann") == at)
        let done = try #require(try await test.shop.jobs.job(stored.id))
        #expect(done.state == .done && done.succeeded == 2 && done.failed == 0)
        #expect(test.shop.jobs.pendingClocks(of: done).isEmpty)
    }

    @Test(
        "A customer whose clock is behind is processed when that clock reaches the date"
    )
    func behind() async throws {
        let test = try await Self.shop(ahead: 0)
        let at = test.now.advanced(milliseconds: 30 * Self.day)
        let stored = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope, at: at)
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 40 * Self.day))
        #expect(try await Self.raised(test, "ann") == at)
        #expect(try await Self.raised(test, "bob") == nil)
        let done = try #require(try await test.shop.jobs.job(stored.id))
        #expect(done.state == .done && done.succeeded == 1 && test.shop.jobs.pendingClocks(of: done) == ["other"])
        _ = try await test.shop.advance(Self.own("other"), .by(milliseconds: 31 * Self.day))
        #expect(try await Self.raised(test, "bob") == at)
        let all = try #require(try await test.shop.jobs.job(stored.id))
        #expect(all.succeeded == 2 && test.shop.jobs.pendingClocks(of: all).isEmpty)
    }

    @Test("A scheduled bulk operation is the next event of a customer clock")
    func nextEvent() async throws {
        let test = try await Self.shop(ahead: 0)
        let at = test.now.advanced(milliseconds: 2 * Self.day)
        _ = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope, at: at)
        let report = try await test.shop.advance(Self.own("other"), .toNextEvent)
        #expect(report.to == at)
        #expect(try await Self.raised(test, "bob") == at)
    }

    @Test("A customer who moves to a clock past the date is processed at the date, and only once")
    func moved() async throws {
        let test = try await Self.shop(ahead: 0)
        let at = test.now.advanced(milliseconds: 10 * Self.day)
        let stored = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope, at: at)
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 12 * Self.day))
        _ = try await test.shop.perform(.useClock(nil), by: test.customer("bob"))
        #expect(try await Self.raised(test, "bob") == at)
        #expect(try await test.shop.jobs.job(stored.id)?.succeeded == 2)
        // The customer moves back, and forward again.
        _ = try await test.shop.perform(.useClock("other"), by: test.customer("bob"))
        _ = try await test.shop.perform(.useClock(nil), by: test.customer("bob"))
        #expect(try await test.shop.jobs.job(stored.id)?.succeeded == 2)
    }

    @Test("A bulk operation does not affect a clock created after its date, but affects one created before")
    func laterClocks() async throws {
        let test = try await Self.shop(ahead: 0)
        let at = test.now.advanced(milliseconds: 10 * Self.day)
        _ = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope, at: at)
        try await test.shop.createClock(Self.own("after"), .frozen(at: at.advanced(milliseconds: Self.day)))
        try await test.shop.createClock(Self.own("before"), .frozen(at: at.advanced(milliseconds: -Self.day)))
        for name in ["after", "before"] { try await Self.subscribe(test, name, on: name) }
        for name in ["after", "before"] {
            _ = try await test.shop.advance(Self.own(name), .by(milliseconds: 3 * Self.day))
        }
        #expect(try await Self.raised(test, "after") == nil)
        #expect(try await Self.raised(test, "before") == at)
    }

    private static let extend = Job.Work.extend(
        MassExtension(productID: "pro", days: 3, reasonCode: 1, request: "11111111-2222-4333-8444-555555555555")
    )

    /// The dates on which a customer's subscription was extended.
    private static func extensions(_ test: TestShop, _ name: String) async throws -> [Timestamp] {
        let account = try await test.sandbox.account(of: name)
        return try #require(account).subscriptions.flatMap(\.extensions).map(\.date)
    }

    @Test("A mass extension with a date is applied on each clock when that clock shows the date")
    func extensionWithDate() async throws {
        let test = try await Self.shop(ahead: 60)
        try await test.shop.createClock(Self.own("late"), .frozen(at: test.now))
        try await Self.subscribe(test, "cat", on: "late")
        // The trial has ended, and the first paid period is the current period.
        for clock in [Self.clock, Self.own("other"), Self.own("late")] {
            _ = try await test.shop.advance(clock, .by(milliseconds: 45 * Self.day))
        }
        let at = test.shop.now(on: Self.clock).advanced(milliseconds: 2 * Self.day)
        let ahead = test.shop.now(on: Self.own("other"))
        let stored = try await test.shop.jobRunner.start(Self.extend, in: Self.scope, at: at)
        #expect(try await Self.extensions(test, "bob") == [ahead])
        // The advance reports the notifications of jobs, too. They include the summary, which belongs to no account.
        let report = try await test.shop.advance(Self.clock, .by(milliseconds: 4 * Self.day))
        #expect(
            report.notifications.map { "\($0.notice.words) \($0.count)" }
                == ["RENEWAL_EXTENDED 1", "RENEWAL_EXTENSION/SUMMARY 1"]
        )
        #expect(report.accounts == 1)
        #expect(try await Self.extensions(test, "ann") == [at])
        #expect(try await Self.extensions(test, "cat").isEmpty)
        let late = try await test.shop.advance(Self.own("late"), .by(milliseconds: 4 * Self.day))
        #expect(late.notifications.map { "\($0.notice.words) \($0.count)" } == ["RENEWAL_EXTENDED 1"])
        #expect(late.accounts == 1)
        #expect(try await Self.extensions(test, "cat") == [at])
        let job = try #require(try await test.shop.jobs.job(stored.id))
        #expect(job.state == .done && job.succeeded == 3 && job.failed == 0)
    }

    @Test("A date in the clock's past is rejected, unless the job is already stored")
    func pastDate() async throws {
        let test = try await Self.shop(ahead: 0)
        let at = test.now.advanced(milliseconds: Self.day)
        _ = try await test.shop.jobRunner.start(Self.extend, in: Self.scope, at: at, id: "job")
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 2 * Self.day))
        let refused = await #expect(throws: ClockRefused.self) {
            _ = try await test.shop.jobRunner.start(Self.extend, in: Self.scope, at: at, id: "other")
        }
        #expect(refused?.code == "earlier_than_clock")
        #expect(try await test.shop.jobs.job("other") == nil)
        #expect(try await test.shop.jobRunner.start(Self.extend, in: Self.scope, at: at, id: "job").state == .done)
    }

    @Test("A bulk operation without a date is applied to every customer at once")
    func withoutDate() async throws {
        let test = try await Self.shop(ahead: 60)
        let done = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope)
        #expect(done.state == .done && done.succeeded == 2 && test.shop.jobs.pendingClocks(of: done).isEmpty)
        #expect(try await Self.raised(test, "ann") == test.shop.now(on: Self.clock))
        #expect(try await Self.raised(test, "bob") == test.shop.now(on: Self.own("other")))
    }

    /// Stores a job that has not run yet.
    private static func store(_ test: TestShop, _ ownClocks: [String: JobRecord.ClockProgress]?) async throws {
        let record = JobRecord(
            id: "job",
            environment: .sandbox,
            app: TestShop.bundleID,
            task: raise(test),
            at: test.now.advanced(milliseconds: 30 * day),
            state: .waiting,
            position: nil,
            succeeded: 0,
            failed: 0,
            completedAt: nil,
            ownClocks: ownClocks
        )
        let document = try Document(kind: .job, name: record.id, app: record.app, encoding: record)
        try await test.shop.storage.put([document])
    }

    @Test("A bulk operation that a stop interrupted on a customer clock is completed after the restart")
    func resumed() async throws {
        let test = try await Self.shop(ahead: 60)
        try await Self.store(test, ["other": JobRecord.ClockProgress()])
        await test.shop.resumeLongWork()
        #expect(try await Self.raised(test, "bob") == test.shop.now(on: Self.own("other")))
        #expect(try await Self.raised(test, "ann") == nil)
        #expect(try await test.shop.jobs.job("job")?.ownClocks?["other"]?.isDone == true)
    }

    @Test(
        "A bulk operation of version 0.1.0 is applied to all customers when the environment's clock shows its date"
    )
    func older() async throws {
        let test = try await Self.shop(ahead: 60)
        try await Self.store(test, nil)
        _ = try await test.shop.advance(Self.own("other"), .by(milliseconds: Self.day))
        #expect(try await Self.raised(test, "bob") == nil)
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 31 * Self.day))
        let job = try #require(try await test.shop.jobs.job("job"))
        #expect(job.state == .done && job.succeeded == 2)
    }

    @Test("The ticker processes the customers of a running customer clock")
    func ticker() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.shop.createClock(Self.own("other"), .real)
        try await Self.subscribe(test, "bob", on: "other")
        _ = try await test.shop.setClock(Self.clock, .freeze(at: nil))
        let ticker = Ticker(test.shop)
        let at = test.now.advanced(milliseconds: 2 * Self.day)
        _ = try await test.shop.jobRunner.start(Self.raise(test), in: Self.scope, at: at)
        test.advance(3 * Self.day)
        for _ in 0..<1_000 {
            await ticker.tick()
            if try await Self.raised(test, "bob") != nil { break }
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await Self.raised(test, "bob") == test.now)
        #expect(try await test.shop.jobs.all(in: Self.scope).first?.state == .waiting)
    }
}
