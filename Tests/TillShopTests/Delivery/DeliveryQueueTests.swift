import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Checks which deliveries start, with explicit times and without a worker.
@Suite("The delivery queue")
struct DeliveryQueueTests {
    private static let scope = AccountScope(environment: .sandbox, app: "com.example.shop")
    private static let clock = ClockName(scope)
    private static let place = EndpointName(scope, "primary")
    private static let epoch = Shop.Epoch(here: 1, everywhere: nil)

    private static func time(_ milliseconds: Int64) -> Timestamp { Timestamp(milliseconds: milliseconds) }

    private static func now(_ milliseconds: Int64 = 0, _ endpoint: EndpointRecord? = EndpointRecord(url: "u"))
        -> DeliveryQueue.Situation
    {
        DeliveryQueue.Situation(endpoint: endpoint, epoch: epoch, realTime: time(milliseconds))
    }

    private static func delivery(_ number: Int64, of original: Int64?, attempts: Int = 0) -> Delivery {
        let new = DeliverySchedule.New(original: original.map(Int.init), type: "T", endpoints: [], clock: 0, delay: 0)
        var delivery = Delivery(of: new.entry(number, scope, time(0)), to: "primary", clock: clock, due: time(0))
        let failed = SendAttempt(date: time(0), result: .timedOut, milliseconds: 0)
        delivery.attempts = Array(repeating: failed, count: attempts)
        return delivery
    }

    /// The numbers of the deliveries that start; nil if they must be read first.
    private static func start(
        _ queue: inout DeliveryQueue,
        _ now: DeliveryQueue.Situation = now(),
        claim: (Delivery) -> Bool = { _ in true }
    ) -> [Int64]? {
        switch queue.start(place, on: clock, now, claim: claim) {
        case .wait: []
        case .post(let started, _, _): started.map(\.notification.number)
        case .read: nil
        }
    }

    /// Reads these deliveries, and returns the numbers of those that start.
    private static func read(
        _ found: [Delivery],
        _ queue: inout DeliveryQueue,
        _ now: DeliveryQueue.Situation = now(),
        claim: (Delivery) -> Bool = { _ in true }
    ) -> [Int64] {
        guard case .read(_, _, var page) = queue.start(place, on: clock, now, claim: claim) else { return [] }
        page.fill(found)
        guard case .post(let started, _, _) = queue.start(place, on: clock, now, reading: page, claim: claim) else {
            return []
        }
        return started.map(\.notification.number)
    }

    private static func reason(_ queue: inout DeliveryQueue, _ now: DeliveryQueue.Situation)
        -> DeliveryQueue.NotCalled?
    {
        if case .wait(let reason) = queue.start(place, on: clock, now, claim: { _ in true }) { reason } else { nil }
    }

    @Test("A first attempt waits for the previous one of its original transaction; retries and others do not")
    func order() {
        var queue = DeliveryQueue()
        let all = [
            Self.delivery(1, of: 7), Self.delivery(2, of: 7), Self.delivery(3, of: 8), Self.delivery(4, of: 7),
            Self.delivery(5, of: nil), Self.delivery(6, of: 7, attempts: 1),
        ]
        #expect(Self.read(all, &queue) == [1, 3, 5, 6])
        #expect(queue.posted(all[0]) == [Self.clock])
        #expect(queue.end(all[0], wasPosted: true) == [Self.clock])
        // The rest of the page is used without another read.
        #expect(Self.start(&queue) == [2])
        #expect(queue.end(all[1], wasPosted: false) == [Self.clock])
        #expect(Self.start(&queue) == [4])
    }

    @Test("At most 16 deliveries to an endpoint are posted, and 64 are in progress")
    func limits() {
        var queue = DeliveryQueue()
        let all = (1...200).map { Self.delivery($0, of: $0) }
        #expect(Self.read(all, &queue) == Array(1...16))
        #expect(Self.reason(&queue, Self.now()) == .atLimit)
        for number in 1...16 { #expect(queue.posted(all[number - 1]).count <= 1) }
        #expect(Self.start(&queue) == Array(17...32))
        for number in 17...32 { _ = queue.posted(all[number - 1]) }
        #expect(Self.start(&queue)?.count == 16)
        for number in 33...48 { _ = queue.posted(all[number - 1]) }
        #expect(Self.start(&queue)?.count == 16)
        for number in 49...64 { _ = queue.posted(all[number - 1]) }
        #expect(queue.count == DeliveryQueue.maxInProgress && Self.reason(&queue, Self.now()) == .atLimit)
        #expect(queue.end(all[0], wasPosted: true) == [Self.clock])
        #expect(Self.start(&queue) == [65])
    }

    @Test("Each endpoint has its own limit, and all clocks of an endpoint share it")
    func lanes() {
        var queue = DeliveryQueue()
        let other = ClockName(Self.scope, own: "other")
        #expect(Self.read((1...16).map { Self.delivery($0, of: $0) }, &queue).count == 16)
        guard case .wait(.atLimit) = queue.start(Self.place, on: other, Self.now(), claim: { _ in true }) else {
            Issue.record("the clocks do not share the limit")
            return
        }
        let mirror = EndpointName(Self.scope, "mirror")
        guard case .read = queue.start(mirror, on: Self.clock, Self.now(), claim: { _ in true }) else {
            Issue.record("the endpoints share a limit")
            return
        }
        // The end of an attempt dispatches the clock that waited.
        #expect(queue.posted(Self.delivery(1, of: 1)) == [other])
    }

    @Test("No delivery to a removed or paused endpoint, or to another node's listener, starts")
    func endpoints() {
        var queue = DeliveryQueue()
        var paused = EndpointRecord(url: "u")
        paused.isPaused = true
        let listener = EndpointRecord(url: EndpointRecord.listenerURL)
        #expect(Self.reason(&queue, Self.now(0, nil)) == .removed)
        #expect(Self.reason(&queue, Self.now(0, paused)) == .paused)
        #expect(Self.reason(&queue, Self.now(0, listener)) == nil)
        var elsewhere = Self.now(0, listener)
        elsewhere.isListenerElsewhere = true
        #expect(Self.reason(&queue, elsewhere) == .listenerElsewhere)
        // A page that was read before a pause is not used after it.
        guard case .read(_, _, var page) = queue.start(Self.place, on: Self.clock, Self.now(), claim: { _ in true })
        else {
            Issue.record("nothing is read")
            return
        }
        page.fill([Self.delivery(1, of: 1)])
        let step = queue.start(Self.place, on: Self.clock, Self.now(0, paused), reading: page) { _ in true }
        guard case .wait(.paused) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(Self.start(&queue) == nil && queue.count == 0)
    }

    @Test("A page is read again after 250 ms, and after all data was replaced")
    func pages() {
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 7)]
        for (later, isUsed) in [(Self.now(249), true), (Self.now(250), false), (Self.now(-1), false)] {
            var queue = DeliveryQueue()
            #expect(Self.read(all, &queue) == [1])
            _ = queue.end(all[0], wasPosted: false)
            #expect(Self.start(&queue, later) == (isUsed ? [2] : nil))
        }
        var queue = DeliveryQueue()
        #expect(Self.read(all + [Self.delivery(3, of: 8)], &queue) == [1, 3])
        _ = queue.end(all[0], wasPosted: false)
        var replaced = Self.now()
        replaced.epoch = Shop.Epoch(here: 2, everywhere: nil)
        #expect(Self.start(&queue, replaced) == nil)
    }

    @Test("A delivery that was under way before a read does not start from it, even if it has ended since then")
    func staleRead() {
        var queue = DeliveryQueue()
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 8)]
        #expect(Self.read([all[0]], &queue) == [1])
        guard
            case .read(_, let limit, var page) = queue.start(
                Self.place,
                on: Self.clock,
                Self.now(),
                claim: { _ in true }
            )
        else {
            Issue.record("nothing is read")
            return
        }
        #expect(limit == DeliveryQueue.pageLength + 1)
        _ = queue.end(all[0], wasPosted: false)
        page.fill(all)
        guard
            case .post(let started, _, _) = queue.start(
                Self.place,
                on: Self.clock,
                Self.now(),
                reading: page,
                claim: { _ in true }
            )
        else {
            Issue.record("nothing starts")
            return
        }
        #expect(started.map(\.notification.number) == [2])
    }

    @Test("A delivery of another node does not start, and delays nothing")
    func otherNode() {
        var queue = DeliveryQueue()
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 8)]
        #expect(Self.read(all, &queue) { $0.notification.number == 2 } == [2])
        #expect(queue.count == 1)
    }

    @Test("A delivery that is held back lets the next one go first, and starts when its time has come")
    func heldBack() {
        var queue = DeliveryQueue()
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 7)]
        #expect(Self.read(all, &queue) == [1])
        #expect(!queue.wasHeldBack(all[0]))
        queue.holdBack(all[0], until: Self.time(500))
        _ = queue.end(all[0], wasPosted: false)
        #expect(Self.start(&queue) == [2])
        _ = queue.posted(all[1])
        _ = queue.end(all[1], wasPosted: true)
        #expect(Self.read([all[0]], &queue, Self.now(499)) == [])
        #expect(queue.takeAlarms(at: Self.time(499)).isEmpty)
        #expect(queue.takeAlarms(at: Self.time(500)) == [Self.clock])
        #expect(Self.read([all[0]], &queue, Self.now(500)) == [1] && queue.wasHeldBack(all[0]))
        _ = queue.posted(all[0])
        #expect(!queue.wasHeldBack(all[0]))
    }

    @Test("A result determines the next due date: none after a success, after the last attempt and without an endpoint")
    func results() {
        let failed = AttemptResult(result: .timedOut, milliseconds: 3)
        let date = Self.time(50)
        let first = Self.delivery(1, of: 7).after(failed, at: date, .production, isGone: false)
        #expect(first.due == date.advanced(milliseconds: 3_600_000) && !first.isDelivered)
        #expect(first.attempts == [SendAttempt(date: date, result: .timedOut, milliseconds: 3)])
        #expect(Self.delivery(1, of: 7).after(failed, at: date, .single, isGone: false).due == nil)
        #expect(Self.delivery(1, of: 7, attempts: 5).after(failed, at: date, .production, isGone: false).due == nil)
        #expect(first.after(failed, at: date, .production, isGone: true).due == nil)
        let success = AttemptResult(result: .success, status: 200, milliseconds: 1)
        let done = first.after(success, at: date, .production, isGone: false)
        #expect(done.due == nil && done.isDelivered && done.attempts.count == 2)
        // A resend that fails does not undo the success.
        #expect(done.after(failed, at: date, .production, isGone: false).isDelivered)
        var refused = failed
        (refused.isRefused, refused.explanation) = (true, "a port of this Till")
        #expect(first.after(refused, at: date, .single, isGone: false).attempts.last?.reason == "a port of this Till")
    }

    @Test("The earliest alarm of a clock counts; a dispatched clock asks for one; a sweep is due every minute")
    func alarms() {
        var queue = DeliveryQueue()
        queue.setAlarm(Self.clock, Self.time(90))
        queue.setAlarm(Self.clock, Self.time(70))
        queue.setAlarm(Self.clock, Self.time(80))
        #expect(queue.takeAlarms(at: Self.time(69)).isEmpty)
        #expect(queue.takeAlarms(at: Self.time(70)) == [Self.clock])
        #expect(queue.takeAlarms(at: Self.time(100)).isEmpty)
        queue.dispatched(Self.clock, at: Self.time(5))
        #expect(queue.takeWithoutAlarm() == [Self.clock: Self.time(5)] && queue.takeWithoutAlarm().isEmpty)
        let sweeps = [0, 59_999, 60_000, 60_001, 120_000].map { queue.takeSweep(at: Self.time($0)) }
        #expect(sweeps == [false, false, true, false, true])
    }

    @Test("A running clock shows an instant after a time that its speed determines, and a frozen clock never")
    func waits() {
        let (since, due) = (Self.time(1_000), Self.time(7_000))
        #expect(ClockState.real.wait(until: due, realTime: since) == 6_000)
        #expect(ClockState.real.wait(until: since, realTime: due) == 0)
        #expect(ClockState.frozen(at: since).wait(until: due, realTime: since) == nil)
        #expect(ClockState.frozen(at: due).wait(until: due, realTime: since) == 0)
        let fast = ClockState.running(from: since, since: since, speed: 60)
        #expect(fast.wait(until: due, realTime: since) == 100)
    }
}
