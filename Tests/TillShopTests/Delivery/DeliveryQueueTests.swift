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

    private static func now(
        _ milliseconds: Int64 = 0,
        _ endpoint: EndpointRecord? = EndpointRecord(url: "u"),
        clock: ClockState = .real,
        in epoch: Shop.Epoch = epoch
    ) -> DeliveryQueue.Situation {
        DeliveryQueue.Situation(
            endpoints: [endpoint].compactMap(\.self),
            epoch: epoch,
            clock: clock,
            realTime: time(milliseconds)
        )
    }

    private static func entry(_ number: Int64, of original: Int64?) -> OutboxEntry {
        DeliverySchedule.New(original: original.map(Int.init), type: "T", endpoints: [], clock: 0, delay: 0)
            .entry(number, scope, time(0))
    }

    private static func delivery(_ number: Int64, of original: Int64?, attempts: Int = 0, due: Int64 = 0) -> Delivery {
        var delivery = Delivery(of: entry(number, of: original), to: "primary", clock: clock, due: time(due))
        let failed = SendAttempt(date: time(0), result: .timedOut, milliseconds: 0)
        delivery.attempts = Array(repeating: failed, count: attempts)
        return delivery
    }

    /// What the queue does next: the numbers of the deliveries that start, and the limit of a read.
    private struct Next: Equatable, ExpressibleByArrayLiteral {
        var started: [Int64] = []
        /// The started deliveries whose notifications need not be read.
        var withEntry: [Int64] = []
        var limit: Int?

        init(arrayLiteral elements: Int64...) { started = elements }

        init(_ steps: [DeliveryQueue.Step]) {
            for step in steps {
                switch step {
                case .post(let delivery, _, _, let entry):
                    started.append(delivery.notification.number)
                    if entry != nil { withEntry.append(delivery.notification.number) }
                case .read(_, _, let limit): self.limit = limit
                }
            }
        }
    }

    private static func dispatch(
        _ queue: inout DeliveryQueue,
        _ now: DeliveryQueue.Situation = now(),
        claim: (Delivery) -> Bool = { _ in true }
    ) -> Next { Next(queue.dispatch(clock, now) { delivery, _ in claim(delivery) }) }

    /// Ends a read that found these deliveries, and returns the numbers of those that start.
    private static func fill(
        _ queue: inout DeliveryQueue,
        _ found: [Delivery],
        horizon: Int64? = nil,
        _ now: DeliveryQueue.Situation = now(),
        claim: (Delivery) -> Bool = { _ in true }
    ) -> [Int64] {
        var page = DueDeliveries(found.map { .success($0) }, limit: .max)
        page.horizon = horizon.map(time)
        queue.fill(place, on: clock, with: page)
        return dispatch(&queue, now, claim: claim).started
    }

    /// A queue that has read these deliveries and started what may start.
    private static func queue(_ found: [Delivery], horizon: Int64? = nil, isShared: Bool = false) -> DeliveryQueue {
        var queue = DeliveryQueue(isShared: isShared)
        #expect(dispatch(&queue).limit == DeliveryQueue.pageLength)
        _ = fill(&queue, found, horizon: horizon)
        return queue
    }

    private static func succeed(_ delivery: Delivery, _ queue: inout DeliveryQueue) {
        _ = queue.posted(delivery)
        _ = queue.end(delivery, .recorded(delivery.ended))
    }

    /// Hands over the first deliveries of notifications, and returns what starts.
    private static func handOver(_ all: [Delivery], _ queue: inout DeliveryQueue) -> Next {
        let entries = all.map { entry($0.notification.number, of: $0.original?.number) }
        #expect(queue.handOver(all, entries, { _ in epoch }) == [clock])
        return dispatch(&queue)
    }

    @Test("After an import, a notification of the replaced data is not posted for another one with the same number")
    func epochs() {
        var paused = EndpointRecord(url: "u")
        paused.isPaused = true
        var queue = DeliveryQueue(isShared: false)
        #expect(Self.dispatch(&queue, Self.now(0, paused)).limit == nil)
        let all = [Self.delivery(1, of: 7)]
        _ = queue.handOver(all, [Self.entry(1, of: 7)], { _ in Self.epoch })
        let later = Shop.Epoch(here: 2, everywhere: nil)
        #expect(Self.dispatch(&queue, Self.now(in: later)).limit == DeliveryQueue.pageLength)
        queue.fill(Self.place, on: Self.clock, with: DueDeliveries(all.map { .success($0) }, limit: .max))
        let next = Self.dispatch(&queue, Self.now(in: later))
        #expect(next.started == [1] && next.withEntry == [])
    }

    @Test("A first attempt waits for the previous one of its original transaction; retries and others do not")
    func order() {
        var queue = DeliveryQueue(isShared: false)
        let all = [
            Self.delivery(1, of: 7), Self.delivery(2, of: 7), Self.delivery(3, of: 8), Self.delivery(4, of: 7),
            Self.delivery(5, of: nil), Self.delivery(6, of: 7, attempts: 1),
        ]
        #expect(Self.dispatch(&queue).limit == 128)
        #expect(Self.fill(&queue, all) == [1, 3, 5, 6])
        Self.succeed(all[0], &queue)
        // The rest of the page is used without another read.
        #expect(Self.dispatch(&queue) == [2])
        Self.succeed(all[1], &queue)
        #expect(Self.dispatch(&queue) == [4])
    }

    @Test("At most 16 deliveries to an endpoint are posted, and 64 are in progress; all its clocks share the limit")
    func limits() {
        let all = (1...200).map { Self.delivery($0, of: $0) }
        var queue = Self.queue(Array(all.prefix(128)), horizon: 0)
        #expect(queue.load == 16 && queue.notCalled(Self.place, on: Self.clock, Self.now()) == .atLimit)
        let other = ClockName(Self.scope, own: "other")
        #expect(queue.dispatch(other, Self.now()) { _, _ in true }.isEmpty)
        // The end of an attempt dispatches the clocks that waited.
        #expect(queue.posted(all[0]) == [Self.clock, other])
        for number in 1..<16 { #expect(queue.posted(all[number]).isEmpty) }
        for first in [17, 33, 49] as [Int64] {
            #expect(Self.dispatch(&queue).started == Array(first..<first + 16))
            for number in first..<first + 16 { _ = queue.posted(all[Int(number) - 1]) }
        }
        #expect(queue.load == 64 && queue.notCalled(Self.place, on: Self.clock, Self.now()) == .atLimit)
        #expect(queue.end(all[0], .recorded(all[0].ended)) == [Self.clock])
        #expect(Self.dispatch(&queue).started == [65])
    }

    @Test("No delivery to a removed or paused endpoint, or to another node's listener, starts")
    func endpoints() {
        var queue = Self.queue([Self.delivery(1, of: 7, due: 5)])
        var paused = EndpointRecord(url: "u")
        paused.isPaused = true
        let listener = EndpointRecord(url: EndpointRecord.listenerURL)
        var elsewhere = Self.now(9, listener)
        elsewhere.isListenerElsewhere = true
        for (now, reason) in [
            (Self.now(9, nil), .removed), (Self.now(9, paused), .paused), (elsewhere, .listenerElsewhere),
        ]
            as [(DeliveryQueue.Situation, DeliveryQueue.NotCalled)]
        {
            #expect(queue.notCalled(Self.place, on: Self.clock, now) == reason)
            #expect(Self.dispatch(&queue, now) == [])
        }
        #expect(Self.dispatch(&queue, Self.now(9, listener)) == [1])
    }

    @Test("A committed delivery starts without a read, in its order, and once")
    func handedOver() {
        let all = (1...4).map { Self.delivery($0, of: 7) }
        var queue = Self.queue([all[0]])
        #expect(Self.handOver([all[1], Self.delivery(9, of: 9)], &queue).withEntry == [9])
        Self.succeed(all[0], &queue)
        let next = Self.dispatch(&queue)
        #expect(next.started == [2] && next.withEntry == [2] && next.limit == nil)
        // A read that began before the commit does not contain the delivery; one that began after it does.
        queue.outdate(Self.clock)
        #expect(Self.dispatch(&queue).limit == 130)
        #expect(Self.handOver([all[2]], &queue) == [])
        Self.succeed(all[1], &queue)
        #expect(Self.fill(&queue, [all[1], all[2]]) == [3])
        // The queue reads again, because the second delivery ended after a signal. After another signal, the read may
        // lack a delivery that was moved to the clock, so a later commit must not start.
        queue.outdate(Self.clock)
        #expect(Self.handOver([Self.delivery(8, of: 5)], &queue) == [] && Self.fill(&queue, []) == [])
        // A commit may be read, posted and recorded before it is signalled.
        Self.succeed(all[2], &queue)
        #expect(Self.fill(&queue, [all[3]]) == [4])
        Self.succeed(all[3], &queue)
        #expect(Self.handOver([all[3]], &queue) == [])
    }

    @Test("If more deliveries are committed than memory may hold, the others are read")
    func overflow() {
        var queue = Self.queue([Self.delivery(1, of: 7)])
        let all = (2...200).map { Self.delivery($0, of: 7) }
        #expect(Self.handOver(all, &queue) == [])
        var started: [Int64] = []
        var previous = Self.delivery(1, of: 7)
        while true {
            Self.succeed(previous, &queue)
            var next = Self.dispatch(&queue)
            if let limit = next.limit {
                let rest = all.filter { $0.notification > previous.notification }
                next.started = Self.fill(&queue, Array(rest.prefix(limit)), horizon: rest.count >= limit ? 0 : nil)
            }
            guard let number = next.started.first else { break }
            #expect(next.started.count == 1)
            started.append(number)
            previous = Self.delivery(number, of: 7)
        }
        #expect(started == Array(2...200))
    }

    @Test("Beside other servers, a committed delivery is read before it starts, and a page is used for 250 ms")
    func shared() {
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 7), Self.delivery(3, of: 7)]
        var queue = Self.queue([all[0], all[1]], isShared: true)
        Self.succeed(all[0], &queue)
        #expect(Self.dispatch(&queue, Self.now(249)) == [2])
        #expect(Self.handOver([all[2]], &queue).limit == 129)
        Self.succeed(all[1], &queue)
        queue.fill(Self.place, on: Self.clock, with: DueDeliveries([.success(all[2])], limit: 9))
        let next = Self.dispatch(&queue)
        #expect(next.withEntry == [3] && next.limit == 129)
        #expect(Self.fill(&queue, []) == [] && Self.dispatch(&queue, Self.now(249)) == [])
        #expect(Self.dispatch(&queue, Self.now(250)).limit == 129)
    }

    @Test("Deliveries are read again after a signal, a restore, a failure and the end of an attempt that met a signal")
    func readAgain() {
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 7), Self.delivery(3, of: 8)]
        var queue = Self.queue(all)
        #expect(Self.dispatch(&queue).limit == nil)
        queue.outdate(Self.clock)
        #expect(Self.dispatch(&queue).limit == 130)
        // The third delivery ends during the read, which therefore returns it as due.
        Self.succeed(all[2], &queue)
        #expect(Self.fill(&queue, all) == [])
        #expect(queue.notCalled(Self.place, on: Self.clock, Self.now()) == .reading)
        queue.readFailed(Self.place, on: Self.clock, until: Self.time(1_000))
        #expect(queue.notCalled(Self.place, on: Self.clock, Self.now(999)) == .storeFailed)
        #expect(Self.dispatch(&queue, Self.now(999)) == [])
        #expect(queue.takeAlarms(at: Self.time(999)).isEmpty && queue.takeAlarms(at: Self.time(1_000)) == [Self.clock])
        #expect(Self.dispatch(&queue, Self.now(1_000)).limit == 129)
        #expect(Self.fill(&queue, [all[1]], Self.now(1_000)) == [])
        var replaced = Self.now(1_000)
        replaced.epoch = Shop.Epoch(here: 2, everywhere: nil)
        #expect(Self.dispatch(&queue, replaced).limit == 129)
        _ = queue.posted(all[0])
        _ = queue.end(all[0], .unrecorded(until: Self.time(3_000)))
        #expect(Self.fill(&queue, [all[1]], Self.now(2_000)) == [])
    }

    @Test("The deliveries of an account that was erased or moved to another clock are forgotten")
    func forgotten() {
        let account = AccountID(3)
        let all = (1...3 as ClosedRange<Int64>).map { number in
            var delivery = Self.delivery(number, of: 7)
            delivery.account = account
            return delivery
        }
        var queue = Self.queue([all[0], all[1]])
        queue.outdate(Self.clock)
        #expect(Self.dispatch(&queue).limit == 129)
        queue.forget(account, in: Self.scope)
        Self.succeed(all[0], &queue)
        #expect(Self.fill(&queue, all) == [])
        #expect(queue.notCalled(Self.place, on: Self.clock, Self.now()) == .reading)
    }

    @Test("A delivery of another node does not start, and delays nothing")
    func otherNode() {
        var queue = DeliveryQueue(isShared: true)
        _ = Self.dispatch(&queue)
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 8)]
        #expect(Self.fill(&queue, all) { $0.notification.number == 2 } == [2] && queue.load == 1)
    }

    @Test("A delivery that is held back lets the next one go first, and starts when its time has come")
    func heldBack() {
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 7)]
        var queue = Self.queue(all)
        #expect(queue.canHoldBack(all[0]))
        _ = queue.end(all[0], .heldBack(until: Self.time(500)))
        #expect(!queue.canHoldBack(all[0]) && !queue.canHoldBack(all[1]) && queue.canHoldBack(Self.delivery(3, of: 8)))
        #expect(Self.dispatch(&queue) == [2])
        Self.succeed(all[1], &queue)
        #expect(Self.dispatch(&queue, Self.now(499)) == [] && queue.takeAlarms(at: Self.time(499)).isEmpty)
        #expect(queue.takeAlarms(at: Self.time(500)) == [Self.clock])
        #expect(Self.dispatch(&queue, Self.now(500)) == [1] && !queue.canHoldBack(all[0]))
        _ = queue.posted(all[0])
        #expect(queue.canHoldBack(all[0]))
    }

    @Test("A delivery that is held back starts after the next one of the same subscription")
    func released() {
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 8), Self.delivery(3, of: 7)]
        var queue = Self.queue(all)
        _ = queue.end(all[0], .heldBack(until: Self.time(500)))
        #expect(Self.dispatch(&queue) == [3])
        #expect(queue.release(after: all[1]).isEmpty && Self.dispatch(&queue) == [])
        #expect(queue.release(after: all[2]).map(\.notification.number) == [1])
        Self.succeed(all[2], &queue)
        #expect(Self.dispatch(&queue) == [1])
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

    @Test("On a running clock, the next due delivery sets the alarm when the others start; a sweep is due every minute")
    func alarms() {
        let fast = ClockState.running(from: Self.time(0), since: Self.time(0), speed: 60)
        var queue = DeliveryQueue(isShared: false)
        _ = Self.dispatch(&queue, Self.now(clock: fast))
        let all = [Self.delivery(1, of: 7), Self.delivery(2, of: 8, due: 6_000), Self.delivery(3, of: 9, due: 60_000)]
        // The second delivery becomes due while the first is posted.
        #expect(Self.fill(&queue, all, Self.now(clock: fast)) == [1])
        #expect(queue.takeAlarms(at: Self.time(99)).isEmpty && queue.takeAlarms(at: Self.time(100)) == [Self.clock])
        let next = Self.dispatch(&queue, Self.now(100, clock: fast))
        #expect(next.started == [2] && next.limit == nil)
        #expect(queue.takeAlarms(at: Self.time(999)).isEmpty && queue.takeAlarms(at: Self.time(1_000)) == [Self.clock])
        // A retry sets the alarm, too. A frozen clock has none.
        let retry = Self.delivery(1, of: 7, attempts: 1, due: 30_000)
        _ = queue.posted(all[0])
        _ = queue.end(all[0], .recorded(retry))
        #expect(Self.dispatch(&queue, Self.now(100, clock: fast)) == [])
        #expect(queue.takeAlarms(at: Self.time(499)).isEmpty && queue.takeAlarms(at: Self.time(500)) == [Self.clock])
        #expect(Self.dispatch(&queue, Self.now(500, clock: .frozen(at: Self.time(29_999)))) == [])
        #expect(queue.takeAlarms(at: Self.time(.max)).isEmpty)
        let sweeps = [0, 59_999, 60_000, 60_001, 120_000].map { queue.takeSweep(at: Self.time($0)) { _ in true } }
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

extension Delivery {
    /// The delivery after a success.
    fileprivate var ended: Delivery {
        var ended = self
        ended.due = nil
        return ended
    }
}
