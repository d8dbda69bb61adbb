import Foundation
import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// If an attempt falls due while a clock is advanced, it gets the date on which it was due. Other attempts are not
/// backdated.
@Suite("Delivery attempts after an advance")
struct SkippedTimeTests {
    private static let hour: Int64 = 3_600_000
    private static let scope = AccountScope(environment: .sandbox, app: TestShop.bundleID)
    private static let clock = ClockName(scope)
    /// The due times of the attempts, in hours after the first attempt.
    private static let offsets: [Int64] = [0, 1, 13, 37, 85, 157]

    private static func instant(_ hours: Int64) -> Timestamp { Timestamp(milliseconds: hours * hour) }

    /// A shop on a running clock whose endpoint always answers 500.
    private static func shop(_ change: ClockChange) async throws -> (TestShop, WebhookReceiver) {
        let post = try await WebhookReceiver.start { _ in .status(500) }
        let test = try await TestShop(selling: SampleCatalog.all)
        try await test.shop.setup.updateRules(of: scope) { $0.endpoints = [EndpointRecord(url: post.url)] }
        _ = try await test.shop.setClock(clock, change)
        return (test, post)
    }

    /// Waits until the only notification has this many attempts, and returns them.
    private static func attempts(_ test: TestShop, count: Int) async throws -> [SendAttempt] {
        var attempts: [SendAttempt] = []
        for _ in 0..<6_000 where attempts.count < count {
            let entries = try await test.shop.storage.notifications(NotificationQuery(scope: scope))
            if let entry = entries.first {
                attempts = try await test.shop.storage.deliveries(of: entry.id).first?.attempts ?? []
            }
            if attempts.count < count { try await Task.sleep(for: .milliseconds(10)) }
        }
        return attempts
    }

    private static func hours(_ attempts: [SendAttempt], after first: Timestamp) -> [Int64] {
        attempts.map { ($0.date.milliseconds - first.milliseconds) / hour }
    }

    @Test(
        "An advance of seven days on a running clock makes all six attempts, each dated when it was due",
        arguments: [ClockChange.real, .run(speed: 60)],
        [true, false]
    )
    func movingClock(_ change: ClockChange, settling: Bool) async throws {
        let (test, post) = try await Self.shop(change)
        let deliveryWorker = try test.startSending()
        let bought = test.now
        try await test.buy("coins", by: "ann")
        let target = AdvanceTarget.by(milliseconds: 168 * Self.hour)
        if settling {
            try await test.advanceAndSettle(Self.clock, target)
        } else {
            _ = try await test.shop.advance(Self.clock, target)
        }
        #expect(test.shop.clocks.state(Self.clock).moves)
        let attempts = try await Self.attempts(test, count: 6)
        #expect(Self.hours(attempts, after: bought) == Self.offsets)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("Seven advances of a day make the same attempts as one advance, without a pause in between")
    func manyAdvances() async throws {
        let (test, post) = try await Self.shop(.real)
        let bought = test.now
        try await test.buy("coins", by: "ann")
        for _ in 0..<7 {
            _ = try await test.shop.advance(Self.clock, .by(milliseconds: 24 * Self.hour))
            // The clock runs for a moment between two advances.
            test.advance(1)
        }
        let deliveryWorker = try test.startSending()
        await deliveryWorker.dispatch(Self.clock)
        let attempts = try await Self.attempts(test, count: 6)
        #expect(Self.hours(attempts, after: bought) == Self.offsets)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("A late attempt has its real date, or the start of the advance before which it was due")
    func late() async throws {
        let (test, post) = try await Self.shop(.real)
        try await test.buy("coins", by: "ann")
        try await test.buy("coins", by: "bob")
        // During two days, no attempt was made.
        test.advance(48 * Self.hour)
        let start = test.now
        let deliveryWorker = try test.startSending()
        await deliveryWorker.dispatch(Self.clock)
        let late = try await Self.attempts(test, count: 1)
        #expect(late.first?.date == start)
        await test.stopSending(deliveryWorker)

        let (second, other) = try await Self.shop(.real)
        try await second.buy("coins", by: "ann")
        second.advance(48 * Self.hour)
        let begin = second.now
        _ = try await second.shop.advance(Self.clock, .by(milliseconds: 168 * Self.hour))
        let next = try second.startSending()
        await next.dispatch(Self.clock)
        let attempts = try await Self.attempts(second, count: 6)
        #expect(Self.hours(attempts, after: begin) == Self.offsets)
        await second.stopSending(next)
        for post in [post, other] { try await post.stop() }
    }

    @Test("A retry that falls due while the clock runs is dated when it is made, also after an advance")
    func afterTheAdvance() async throws {
        let (test, post) = try await Self.shop(.real)
        let deliveryWorker = try test.startSending()
        let bought = test.now
        try await test.buy("coins", by: "ann")
        _ = try await Self.attempts(test, count: 1)
        _ = try await test.shop.advance(Self.clock, .by(milliseconds: 2 * Self.hour))
        #expect(Self.hours(try await Self.attempts(test, count: 2), after: bought) == [0, 1])
        // The third attempt is due 13 hours after the purchase; the delivery worker starts at 16 hours.
        test.advance(14 * Self.hour)
        await deliveryWorker.dispatch(Self.clock)
        #expect(Self.hours(try await Self.attempts(test, count: 3), after: bought) == [0, 1, 16])
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("An advance that a crash interrupted is completed after the restart, with the same attempt dates")
    func restart() async throws {
        let (test, post) = try await Self.shop(.real)
        let bought = test.now
        try await test.buy("coins", by: "ann")
        // This is the stored record of a clock during an advance of seven days, after the first day.
        var record = test.shop.clocks.record(Self.clock)
        record.freeze(at: bought, from: bought)
        record.freeze(at: bought.advanced(milliseconds: 24 * Self.hour), from: bought)
        record.pendingAdvance = Clocks.Advance(to: bought.advanced(milliseconds: 168 * Self.hour), speed: 1)
        try await test.shop.clocks.put(record)
        _ = try await test.shop.clocks.reload()
        await test.shop.resumeLongWork()
        #expect(test.shop.clocks.state(Self.clock).moves)
        let deliveryWorker = try test.startSending()
        await deliveryWorker.dispatch(Self.clock)
        #expect(Self.hours(try await Self.attempts(test, count: 6), after: bought) == Self.offsets)
        await test.stopSending(deliveryWorker)
        try await post.stop()
    }

    @Test("A frozen clock never shows a later time, even while the freeze is being stored")
    func frozenWhileItRuns() async throws {
        let test = try await TestShop(selling: SampleCatalog.all)
        for _ in 0..<50 {
            _ = try await test.shop.setClock(Self.clock, .run(speed: 1_000_000))
            let sampling = Task {
                var latest = test.shop.now(on: Self.clock)
                while !Task.isCancelled {
                    test.advance(1)
                    latest = max(latest, test.shop.now(on: Self.clock))
                    await Task.yield()
                }
                return latest
            }
            let frozen = try await test.shop.setClock(Self.clock, .freeze(at: nil))
            sampling.cancel()
            let latest = await sampling.value
            #expect(frozen == .frozen(at: test.shop.now(on: Self.clock)))
            #expect(latest <= test.shop.now(on: Self.clock))
        }
        // A rejected change leaves the clock unchanged.
        _ = try await test.shop.setClock(Self.clock, .run(speed: 2))
        await #expect(throws: ClockRefused.self) { try await test.shop.setClock(Self.clock, .run(speed: 0)) }
        #expect(test.shop.clocks.state(Self.clock).moves)
    }

    // MARK: Skipped spans of time

    @Test("An attempt gets its date from the first skipped span that ends at or after the instant at which it was due")
    func dates() {
        var skipped = SkippedTime()
        skipped.skip(from: Self.instant(10), to: Self.instant(20))
        skipped.skip(from: Self.instant(30), to: Self.instant(40))
        let now = Self.instant(50)
        // The attempts are due before, within, between and after the spans.
        for (due, date) in [(5, 10), (10, 10), (15, 15), (20, 20), (25, 30), (35, 35), (45, 50)] as [(Int64, Int64)] {
            #expect(skipped.dateOfAttempt(due: Self.instant(due), now: now) == Self.instant(date), "due at \(due)")
        }
        #expect(SkippedTime().dateOfAttempt(due: Self.instant(5), now: now) == now)
    }

    @Test("Adjacent spans are merged, spans without due attempts are deleted, and the number of spans is limited")
    func spans() {
        var skipped = SkippedTime()
        skipped.skip(from: Self.instant(0), to: Self.instant(1))
        skipped.skip(from: Self.instant(1), to: Self.instant(3))
        #expect(skipped.spans == [SkippedTime.Span(from: Self.instant(0), to: Self.instant(3))])
        skipped.skip(from: Self.instant(5), to: Self.instant(6))
        skipped.forget(before: Self.instant(3))
        #expect(skipped.spans.count == 2)
        skipped.forget(before: Self.instant(4))
        #expect(skipped.spans == [SkippedTime.Span(from: Self.instant(5), to: Self.instant(6))])
        skipped.forget(before: nil)
        #expect(skipped.spans.isEmpty)
        for number in 0..<100 as Range<Int64> {
            skipped.skip(from: Self.instant(2 * number), to: Self.instant(2 * number + 1))
        }
        #expect(skipped.spans.count == SkippedTime.maxSpans && skipped.spans.first?.from == Self.instant(0))
        #expect(skipped.spans.last?.to == Self.instant(199))
    }

    @Test("A frozen clock of version 0.1.0 dates attempts when they were due, and a running one when they are made")
    func olderRecords() throws {
        let frozen = #"{"app":"a","realm":"sandbox","state":{"frozen":{"at":1000}}}"#
        let record = try JSONDecoder().decode(Clocks.Record.self, from: Data(frozen.utf8))
        let realTime = Timestamp(milliseconds: 5_000)
        #expect(
            record.dateOfAttempt(due: Timestamp(milliseconds: 900), realTime: realTime) == Timestamp(milliseconds: 900)
        )
        var advanced = record
        advanced.freeze(at: Timestamp(milliseconds: 2_000), from: Timestamp(milliseconds: 1_000))
        #expect(
            advanced.dateOfAttempt(due: Timestamp(milliseconds: 900), realTime: realTime)
                == Timestamp(milliseconds: 900)
        )
        let real = #"{"app":"a","realm":"sandbox","state":{"real":{}}}"#
        let moving = try JSONDecoder().decode(Clocks.Record.self, from: Data(real.utf8))
        #expect(moving.dateOfAttempt(due: Timestamp(milliseconds: 900), realTime: realTime) == realTime)
    }
}
