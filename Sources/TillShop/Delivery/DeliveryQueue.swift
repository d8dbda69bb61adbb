import TillCore
import TillStorage

/// Decides which deliveries are posted now. It is a value without clocks and I/O: every function gets the time that it
/// needs.
///
/// The first attempts for an original transaction are made in order, each after the previous first attempt has ended.
/// Retries have their own schedule and delay no other delivery. Every endpoint has its own concurrency limit, so that
/// an unreachable endpoint does not slow down other endpoints.
struct DeliveryQueue {
    /// Why a delivery is not posted now. There are no other reasons.
    enum NotCalled: Equatable {
        /// The endpoint was removed, so its deliveries are discarded.
        case removed
        case paused
        /// The endpoint's listener is connected to another node, which passes the notifications to it.
        case listenerElsewhere
        /// The endpoint has reached its concurrency limit.
        case atLimit
        /// The delivery was read too long ago, or before all data was replaced. It is read again.
        case outdated
        case underWay
        /// The fault `reorder` holds the delivery back.
        case heldBack
        /// An earlier first attempt for the same original transaction has not ended.
        case behindFirstAttempt
        /// Another node makes the delivery.
        case onOtherNode
    }

    /// The circumstances outside the queue.
    struct Situation {
        /// The endpoint; nil if it does not exist.
        var endpoint: EndpointRecord?
        var isListenerElsewhere = false
        var epoch: Shop.Epoch
        var realTime: Timestamp
    }

    /// What to do for an endpoint and a clock.
    enum Step {
        case wait(NotCalled)
        /// Post these deliveries, which are under way now, to the endpoint.
        case post([Delivery], to: EndpointRecord, Shop.Epoch)
        /// Read so many due deliveries into the page, and continue with it.
        case read(EndpointRecord, limit: Int, Page)
    }

    /// Deliveries that were read but could not start yet, in their order. Without this buffer, the end of every attempt
    /// would cause a read of many deliveries, only to start one.
    struct Page {
        /// The deliveries that were under way before the read. If such an attempt ends during the read, the read still
        /// returns its delivery as due.
        fileprivate let underWay: Set<NotificationID>
        fileprivate let epoch: Shop.Epoch
        fileprivate let time: Timestamp
        fileprivate var rest: [Delivery] = []

        /// Adds the deliveries that were read.
        mutating func fill(_ found: [Delivery]) { rest = found.filter { !underWay.contains($0.notification) } }

        fileprivate func notCalled(_ now: Situation) -> NotCalled? {
            let life = time..<time.advanced(milliseconds: DeliveryQueue.pageLife)
            return epoch == now.epoch && life.contains(now.realTime) ? nil : .outdated
        }
    }

    /// The deliveries to one endpoint.
    fileprivate struct EndpointQueue {
        /// The deliveries that are posted or recorded now.
        var underWay: Set<NotificationID> = []
        /// The number of deliveries that are posted now. The other ones under way are recorded.
        var posting = 0
        /// The original transactions whose first attempt is under way.
        var busy: Set<TransactionID> = []
        /// The deliveries that the fault `reorder` holds back, each until a wall-clock time.
        var heldBack: [NotificationID: Timestamp] = [:]
        var pages: [ClockName: Page] = [:]
        /// The clocks with due deliveries that wait until an attempt ends.
        var waiting: Set<ClockName> = []

        var isAtLimit: Bool { posting >= maxPosting || underWay.count >= maxInProgress }
        var isEmpty: Bool { underWay.isEmpty && heldBack.isEmpty }
    }

    static let maxPosting = 16
    static let maxInProgress = 64
    static let pageLength = 128
    /// How long the deliveries of a page may be used after they were read, in milliseconds.
    static let pageLife: Int64 = 250
    /// The time between two sweeps, in milliseconds.
    static let sweepInterval: Int64 = 60_000

    private var queues: [EndpointName: EndpointQueue] = [:]
    /// When the deliveries on a clock are dispatched again, in real time.
    private var alarms: [ClockName: Timestamp] = [:]
    /// The clocks whose alarm must be set, with the time that each showed when it was dispatched.
    private var withoutAlarm: [ClockName: Timestamp] = [:]
    private var nextSweep: Timestamp?

    /// The number of deliveries that are posted or recorded now.
    var count: Int { queues.values.reduce(0) { $0 + $1.underWay.count } }
}

// MARK: - Starting deliveries

extension DeliveryQueue {
    /// Starts the deliveries to an endpoint that are due on a clock and may start now.
    ///
    /// - Parameters:
    ///   - page: the deliveries that were just read; nil to use those of an earlier read.
    ///   - claim: claims a delivery for this node; false if another node makes it.
    mutating func start(
        _ name: EndpointName,
        on clock: ClockName,
        _ now: Situation,
        reading page: Page? = nil,
        claim: (Delivery) -> Bool
    ) -> Step {
        var queue = queues.removeValue(forKey: name) ?? EndpointQueue()
        defer { if !queue.isEmpty { queues[name] = queue } }
        let kept = page ?? queue.pages.removeValue(forKey: clock)
        guard let endpoint = now.endpoint else { return .wait(.removed) }
        if endpoint.isPaused == true { return .wait(.paused) }
        if endpoint.isListener, now.isListenerElsewhere { return .wait(.listenerElsewhere) }
        if queue.isAtLimit {
            queue.keep(kept, of: clock)
            queue.waiting.insert(clock)
            return .wait(.atLimit)
        }
        if var next = kept, page != nil || next.notCalled(now) == nil {
            let started = start(&next.rest, in: &queue, now, claim)
            if page != nil || !started.isEmpty {
                queue.keep(next, of: clock)
                return .post(started, to: endpoint, next.epoch)
            }
        }
        let limit = Self.pageLength + queue.underWay.count
        return .read(endpoint, limit: limit, Page(underWay: queue.underWay, epoch: now.epoch, time: now.realTime))
    }

    /// Starts deliveries of a page, and leaves those in it that wait for the end of an attempt.
    private func start(
        _ page: inout [Delivery],
        in queue: inout EndpointQueue,
        _ now: Situation,
        _ claim: (Delivery) -> Bool
    ) -> [Delivery] {
        var started: [Delivery] = []
        // If a delivery could not start, later deliveries of the same original transaction must wait, too.
        var blocked: Set<TransactionID> = []
        page.removeAll { delivery in
            switch notCalled(delivery, in: queue, blocked, now, claim) {
            case nil:
                queue.underWay.insert(delivery.notification)
                queue.posting += 1
                if let original = delivery.firstOf { queue.busy.insert(original) }
                started.append(delivery)
                return true
            case .atLimit:
                return false
            case .behindFirstAttempt:
                if let original = delivery.firstOf { blocked.insert(original) }
                return false
            default:
                return true
            }
        }
        return started
    }

    private func notCalled(
        _ delivery: Delivery,
        in queue: EndpointQueue,
        _ blocked: Set<TransactionID>,
        _ now: Situation,
        _ claim: (Delivery) -> Bool
    ) -> NotCalled? {
        if queue.isAtLimit { return .atLimit }
        if queue.underWay.contains(delivery.notification) { return .underWay }
        if let end = queue.heldBack[delivery.notification], now.realTime < end { return .heldBack }
        if let original = delivery.firstOf, queue.busy.contains(original) || blocked.contains(original) {
            return .behindFirstAttempt
        }
        return claim(delivery) ? nil : .onOtherNode
    }
}

extension DeliveryQueue.EndpointQueue {
    /// Keeps the rest of a page until an attempt ends, because that frees capacity or an original transaction.
    fileprivate mutating func keep(_ page: DeliveryQueue.Page?, of clock: ClockName) {
        guard let page, !page.rest.isEmpty else { return }
        pages[clock] = page
        waiting.insert(clock)
    }
}

extension Delivery {
    fileprivate var endpointName: EndpointName { EndpointName(scope, endpoint) }

    /// The original transaction whose order the next attempt keeps; nil for a retry.
    fileprivate var firstOf: TransactionID? { attempts.isEmpty ? original : nil }
}

// MARK: - After a post

extension DeliveryQueue {
    /// Holds a delivery under way back until a wall-clock time, so that the next delivery of the same original
    /// transaction is sent first.
    mutating func holdBack(_ delivery: Delivery, until end: Timestamp) {
        queues[delivery.endpointName]?.heldBack[delivery.notification] = end
        setAlarm(delivery.clock, end)
    }

    /// Whether a delivery was held back since its last attempt.
    func wasHeldBack(_ delivery: Delivery) -> Bool {
        queues[delivery.endpointName]?.heldBack[delivery.notification] != nil
    }

    /// Notes that a delivery was posted and is recorded now.
    ///
    /// - Returns: the clocks to dispatch, because the endpoint has capacity again.
    mutating func posted(_ delivery: Delivery) -> Set<ClockName> {
        queues[delivery.endpointName]?.heldBack[delivery.notification] = nil
        queues[delivery.endpointName]?.posting -= 1
        return takeWaiting(delivery.endpointName)
    }

    /// Ends an attempt.
    ///
    /// - Parameter wasPosted: whether `posted` was called.
    /// - Returns: the clocks to dispatch.
    mutating func end(_ delivery: Delivery, wasPosted: Bool) -> Set<ClockName> {
        let name = delivery.endpointName
        if !wasPosted { queues[name]?.posting -= 1 }
        queues[name]?.underWay.remove(delivery.notification)
        if let original = delivery.firstOf { queues[name]?.busy.remove(original) }
        let waiting = takeWaiting(name)
        if queues[name]?.isEmpty == true { queues[name] = nil }
        return waiting.union([delivery.clock])
    }

    private mutating func takeWaiting(_ name: EndpointName) -> Set<ClockName> {
        defer { queues[name]?.waiting = [] }
        return queues[name]?.waiting ?? []
    }
}

extension Delivery {
    /// The delivery after an attempt, with the due date of the next attempt.
    ///
    /// - Parameter isGone: whether the endpoint was removed, so that it receives no more attempts.
    func after(_ result: AttemptResult, at date: Timestamp, _ schedule: RetrySchedule, isGone: Bool) -> Delivery {
        var done = self
        done.attempts.append(
            SendAttempt(
                date: date,
                result: result.result,
                milliseconds: result.milliseconds,
                status: result.status,
                reason: result.isRefused ? result.explanation : nil
            )
        )
        let isDone = result.result == .success
        done.isDelivered = isDelivered || isDone
        done.due = isDone || isGone ? nil : schedule.next(afterAttempts: done.attempts.count, last: date)
        return done
    }
}

// MARK: - Alarms

extension DeliveryQueue {
    /// Notes that the due deliveries on a clock have been started.
    ///
    /// - Parameter shown: what the clock showed before they were read.
    mutating func dispatched(_ clock: ClockName, at shown: Timestamp) { withoutAlarm[clock] = shown }

    /// The clocks whose alarm must be set, with the time that each showed when it was dispatched.
    mutating func takeWithoutAlarm() -> [ClockName: Timestamp] {
        defer { withoutAlarm = [:] }
        return withoutAlarm
    }

    /// Dispatches a clock at a wall-clock time, or earlier.
    mutating func setAlarm(_ clock: ClockName, _ realTime: Timestamp) {
        alarms[clock] = min(alarms[clock] ?? realTime, realTime)
    }

    /// The clocks to dispatch now. Their alarms are removed.
    mutating func takeAlarms(at realTime: Timestamp) -> [ClockName] {
        let due = alarms.filter { $0.value <= realTime }.map(\.key)
        for clock in due { alarms[clock] = nil }
        return due
    }

    /// Whether to discard the deliveries to removed endpoints now; true once in each interval.
    mutating func takeSweep(at realTime: Timestamp) -> Bool {
        let isDue = nextSweep.map { $0 <= realTime } ?? false
        if isDue || nextSweep == nil { nextSweep = realTime.advanced(milliseconds: Self.sweepInterval) }
        return isDue
    }
}

extension ClockState {
    /// The milliseconds of real time until the clock shows an instant; nil if it never does. Zero if it is in the past.
    func wait(until instant: Timestamp, realTime: Timestamp) -> Double? {
        let wait = Double(instant.milliseconds - shown(realTime: realTime).milliseconds)
        guard wait > 0 else { return 0 }
        if let last, instant > last { return nil }
        return switch self {
        case .frozen: nil
        case .real: wait
        case .running(_, _, let speed): wait / speed
        }
    }
}
