import GRDB
import Testing
import TillCore
import TillServer
import TillStorage
import TillTestSupport

@testable import TillShop

/// A job whose row is damaged, beside a sound job.
@Suite("A scheduled job that fails")
struct FailingJobTests {
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let day: Int64 = 86_400_000

    private static func raise() -> Job.Work {
        var prices = Product.pro.prices
        prices.standard = Money(milliunits: prices.standard.milliunits * 2, currency: prices.standard.currency)
        return .raisePrice(PriceRaise(productID: "pro", prices: prices))
    }

    private static func lines(_ test: TestShop) -> [String] {
        test.log.errors.filter { $0.hasPrefix("events of a clock could not be processed") }
    }

    /// Lets the ticker work until a condition holds.
    private static func work(_ ticker: Ticker, until condition: () async throws -> Bool) async throws {
        for _ in 0..<6_000 where try await !condition() {
            await ticker.tick()
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    private static func lag(_ figures: PrometheusFigures) throws -> Double {
        let line = figures.text().split(separator: "\n").first { $0.hasPrefix("till_clock_lag_seconds ") }
        return try #require(line?.split(separator: " ").last.flatMap { Double($0) })
    }

    @Test("The lag grows while a job fails, the other jobs run, and the failure is logged once a minute")
    func damaged() async throws {
        let figures = PrometheusFigures()
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.buy("pro", by: "ann")
        let ticker = Ticker(test.shop, metrics: figures)
        let at = test.now.advanced(milliseconds: 2 * Self.day)
        for id in ["bad", "good"] {
            _ = try await test.shop.jobRunner.start(Self.raise(), in: Self.scope, at: at, id: id)
        }
        let client = try DatabaseQueue(path: test.directory.database)
        try await client.write { db in
            try db.execute(sql: "UPDATE documents SET body = '{\"broken\":1}' WHERE kind = 'job' AND name = 'bad'")
        }
        test.advance(2 * Self.day + 60_000)
        try await Self.work(ticker) { !Self.lines(test).isEmpty }
        #expect(try await test.shop.jobs.job("good")?.state == .done)
        #expect(Self.lines(test).count == 1)
        test.advance(600_000)
        try await Self.work(ticker) { Self.lines(test).count > 1 }
        ticker.measureLag()
        #expect(try Self.lag(figures) >= 600)
        #expect(Self.lines(test).count == 2)

        try await client.write { try $0.execute(sql: "DELETE FROM documents WHERE kind = 'job' AND name = 'bad'") }
        test.advance(2_000)
        try await Self.work(ticker) {
            ticker.measureLag()
            return try Self.lag(figures) == 0
        }
        #expect(try Self.lag(figures) == 0)
        try client.close()
    }

    @Test("A failure of the same clock is logged at once, and then once a minute")
    func logged() {
        let (failures, clock) = (ClockFailures(), ClockName(Self.scope))
        let start = Timestamp(milliseconds: 1_767_225_600_000)
        let logged = (Int64(0)..<150).map { second in
            let now = start.advanced(milliseconds: 1_000 * second)
            return failures.add(clock, due: now, at: now)
        }
        #expect(logged.compactMap { $0 } == [1, 61, 121])
        #expect(failures.due == [clock: start])
        // The system's clock is set back.
        #expect(failures.add(clock, due: start, at: start.advanced(milliseconds: -3_600_000)) == 151)
        failures.remove(clock)
        #expect(failures.due.isEmpty)
        #expect(failures.add(clock, due: start, at: start) == 1)
    }

    @Test("A failed read of the store is kept for two seconds, however long it took")
    func store() {
        #expect(MeasuredValues.life(ofReadIn: .seconds(4), isUp: false) == .seconds(2))
        #expect(MeasuredValues.life(ofReadIn: .seconds(4), isUp: true) == .seconds(80))
        #expect(MeasuredValues.life(ofReadIn: .milliseconds(1), isUp: true) == .seconds(2))
    }
}
