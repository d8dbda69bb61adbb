import TillCore
import TillStorage

/// Decides which deliveries are posted now. It is a value without clocks and I/O: every function gets the time that it
/// needs, and returns what to do.
///
/// The first attempts for an original transaction are made in order, each after the previous first attempt has ended.
/// Retries have their own schedule and delay no other delivery. Every endpoint has its own concurrency limit, so that
/// an unreachable endpoint does not slow down other endpoints.
///
/// The queue keeps the first pending deliveries of each endpoint and clock in memory: those that it has read, and those
/// that a commit of this server handed over. It reads again only if it cannot know all deliveries that are due.
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
        /// The endpoint's deliveries on this clock are being read.
        case reading
        /// The store failed a moment ago.
        case storeFailed
        case underWay
        /// The fault `reorder` holds the delivery back.
        case heldBack
        /// An earlier first attempt for the same original transaction has not ended.
        case behindFirstAttempt
        /// Another node makes the delivery.
        case onOtherNode
    }

    /// The circumstances outside the queue, for one clock.
    struct Situation {
        /// The endpoints of the app's environment.
        var endpoints: [EndpointRecord]
        var isListenerElsewhere = false
        /// The current epoch of the app.
        var epoch: Shop.Epoch
        var clock = ClockState.real
        var realTime: Timestamp

        var present: Timestamp { clock.shown(realTime: realTime) }
    }

    /// What to do next.
    enum Step {
        /// Post a delivery, which is under way now. Its notification is nil if it must be read.
        case post(Delivery, to: EndpointRecord, Shop.Epoch, OutboxEntry?)
        /// Read this number of pending deliveries, earliest first.
        case read(EndpointRecord, ClockName, limit: Int)
    }

    /// How an attempt ended.
    enum Outcome {
        /// The attempt is recorded. The delivery has the due date of the next attempt.
        case recorded(Delivery)
        /// Nothing was sent. The delivery is held back until a wall-clock time.
        case heldBack(until: Timestamp)
        /// The attempt could not be recorded. Nothing is read before a wall-clock time.
        case unrecorded(until: Timestamp)
    }

    static let maxPosting = 16
    static let maxInProgress = 64
    /// The maximum number of deliveries in memory for an endpoint and a clock.
    static let pageLength = 128
    /// The maximum number of notifications in memory for an endpoint. Others are read when they are posted.
    static let maxEntries = 64
    /// The time in milliseconds after which deliveries are read again if there are more than the queue keeps, or if
    /// other nodes write deliveries, too.
    static let pageLife: Int64 = 250
    /// The time between two sweeps, in milliseconds.
    static let sweepInterval: Int64 = 60_000

    /// Whether other nodes share the store. Their commits are not handed over, so deliveries that were handed over are
    /// read before they start, to keep their order.
    private let isShared: Bool
    private var queues: [EndpointName: EndpointQueue] = [:]
    /// Counts the signals that deliveries on a clock may have changed in the store. A page is read again after one.
    private var changes: [ClockName: Int] = [:]
    /// When the deliveries on a clock are dispatched again, in real time.
    private var alarms: [ClockName: Timestamp] = [:]
    private var nextSweep: Timestamp?

    init(isShared: Bool) { self.isShared = isShared }

    /// The number of deliveries that are posted or recorded now; nil while deliveries are being read.
    var load: Int? {
        let isReading = queues.values.contains { $0.pages.values.contains { $0.reading != nil } }
        return isReading ? nil : queues.values.reduce(0) { $0 + $1.underWay.count }
    }
}

// MARK: - Starting deliveries

extension DeliveryQueue {
    /// Starts the deliveries that are due on a clock and may start now, and sets the alarm of the clock.
    ///
    /// - Parameter claim: claims a delivery for this node; false if another node makes it.
    mutating func dispatch(_ clock: ClockName, _ now: Situation, claim: (Delivery, EndpointRecord) -> Bool) -> [Step] {
        var steps: [Step] = []
        var alarm: Timestamp?
        for endpoint in now.endpoints {
            let name = EndpointName(clock.scope, endpoint.key)
            let reason = notCalled(name, on: clock, now)
            var queue = queues.removeValue(forKey: name) ?? EndpointQueue()
            if reason == nil {
                steps += start(endpoint, in: &queue, on: clock, now, claim)
            } else if reason == .atLimit {
                queue.waiting.insert(clock)
            }
            alarm = [alarm, queue.alarm(clock, now)].compactMap(\.self).min()
            queues[name] = queue
        }
        alarms[clock] = alarm
        return steps
    }

    /// Why no delivery to an endpoint on a clock starts now; nil if deliveries may start.
    func notCalled(_ name: EndpointName, on clock: ClockName, _ now: Situation) -> NotCalled? {
        guard let endpoint = now.endpoints.first(where: { $0.key == name.endpoint }) else { return .removed }
        if endpoint.isPaused == true { return .paused }
        if endpoint.isListener, now.isListenerElsewhere { return .listenerElsewhere }
        guard let queue = queues[name] else { return nil }
        if queue.pages[clock]?.reading != nil { return .reading }
        if let end = queue.pages[clock]?.failedUntil, now.realTime < end { return .storeFailed }
        return queue.isAtLimit ? .atLimit : nil
    }

    private func start(
        _ endpoint: EndpointRecord,
        in queue: inout EndpointQueue,
        on clock: ClockName,
        _ now: Situation,
        _ claim: (Delivery, EndpointRecord) -> Bool
    ) -> [Step] {
        queue.enter(now.epoch)
        var page = queue.pages.removeValue(forKey: clock) ?? DeliveryPage()
        defer { queue.pages[clock] = page }
        let changes = changes[clock, default: 0]
        let isFresh = page.filled == changes && page.epoch == now.epoch
        page.filled = nil
        let isValid = page.epoch == now.epoch && page.changes == changes && (!isShared || page.isCurrent(now))
        let steps = isValid || isFresh ? post(&page, to: endpoint, in: &queue, now, claim) : []
        let hasDue = page.deliveries.first?.due.map { $0 <= now.present } ?? false
        if hasDue || queue.isAtLimit { queue.waiting.insert(clock) }
        // Reads more deliveries if they may be due, but not again and again if none of them can start.
        let isMoreDue = page.horizon.map { $0 <= now.present } ?? false
        let needsMore = isMoreDue && !isFresh && steps.isEmpty && (!hasDue || !page.isCurrent(now))
        guard !queue.isAtLimit, !isValid || needsMore else { return steps }
        page = DeliveryPage(
            epoch: now.epoch,
            readAt: now.realTime,
            changes: changes,
            reading: Set(queue.underWay.keys)
        )
        return steps + [.read(endpoint, clock, limit: Self.pageLength + queue.underWay.count)]
    }

    /// Starts deliveries of a page, and leaves those in it that must wait.
    private func post(
        _ page: inout DeliveryPage,
        to endpoint: EndpointRecord,
        in queue: inout EndpointQueue,
        _ now: Situation,
        _ claim: (Delivery, EndpointRecord) -> Bool
    ) -> [Step] {
        guard let epoch = page.epoch else { return [] }
        var steps: [Step] = []
        var rest: [Delivery] = []
        // If a delivery could not start, later deliveries of the same original transaction must wait, too.
        var blocked: Set<TransactionID> = []
        let present = now.present
        for (index, delivery) in page.deliveries.enumerated() {
            guard let due = delivery.due, due <= present, !queue.isAtLimit else {
                rest += page.deliveries[index...]
                break
            }
            switch notCalled(delivery, endpoint, in: queue, blocked, now, claim) {
            case nil:
                queue.underWay[delivery.notification] = changes[delivery.clock, default: 0]
                queue.posting += 1
                if let original = delivery.firstOf { queue.busy.insert(original) }
                let entry = queue.entries.removeValue(forKey: delivery.notification)
                if entry == nil, delivery.attempts.isEmpty { queue.startedEarly[0].insert(delivery.notification) }
                steps.append(.post(delivery, to: endpoint, epoch, entry))
            case .underWay, .onOtherNode:
                break
            case .behindFirstAttempt:
                if let original = delivery.firstOf { blocked.insert(original) }
                rest.append(delivery)
            default:
                rest.append(delivery)
            }
        }
        page.deliveries = rest
        return steps
    }

    private func notCalled(
        _ delivery: Delivery,
        _ endpoint: EndpointRecord,
        in queue: EndpointQueue,
        _ blocked: Set<TransactionID>,
        _ now: Situation,
        _ claim: (Delivery, EndpointRecord) -> Bool
    ) -> NotCalled? {
        if queue.underWay[delivery.notification] != nil { return .underWay }
        if let end = queue.heldBack[delivery.notification]?.until, now.realTime < end { return .heldBack }
        if let original = delivery.firstOf, queue.busy.contains(original) || blocked.contains(original) {
            return .behindFirstAttempt
        }
        return claim(delivery, endpoint) ? nil : .onOtherNode
    }
}

// MARK: - Pending deliveries

extension DeliveryQueue {
    /// Takes over the deliveries that were read. Then the clock must be dispatched.
    mutating func fill(_ name: EndpointName, on clock: ClockName, with found: DueDeliveries) {
        guard var page = queues[name]?.pages[clock], let reading = page.reading else { return }
        page.deliveries = found.deliveries.filter { delivery in
            !reading.contains(delivery.notification) && !(delivery.account.map(page.forgotten.contains) ?? false)
        }
        page.horizon = found.horizon
        for delivery in page.added { page.insert(delivery) }
        (page.reading, page.added, page.forgotten, page.filled) = (nil, [], [], changes[clock, default: 0])
        queues[name]?.pages[clock] = page
    }

    /// Notes that the store failed, so that nothing is read before a wall-clock time.
    mutating func readFailed(_ name: EndpointName, on clock: ClockName, until end: Timestamp) {
        queues[name]?.pages[clock] = DeliveryPage(failedUntil: end)
    }

    /// Takes over deliveries that this server has committed, with their notifications.
    ///
    /// - Parameter epoch: the current epoch of an app.
    /// - Returns: the clocks to dispatch.
    mutating func handOver(
        _ deliveries: [Delivery],
        _ entries: [OutboxEntry],
        _ epoch: (String) -> Shop.Epoch
    ) -> Set<ClockName> {
        let entries = Dictionary(entries.map { ($0.id, $0) }) { first, _ in first }
        for delivery in deliveries {
            let name = delivery.endpointName
            var queue = queues.removeValue(forKey: name) ?? EndpointQueue()
            defer { queues[name] = queue }
            let epoch = epoch(delivery.scope.app)
            queue.enter(epoch)
            let isKnown = queue.startedEarly.indices.contains { index in
                queue.startedEarly[index].remove(delivery.notification) != nil
            }
            guard !isKnown, queue.underWay[delivery.notification] == nil else { continue }
            if queue.entries.count >= Self.maxEntries { queue.entries = [:] }
            queue.entries[delivery.notification] = entries[delivery.notification]
            if isShared {
                outdate(delivery.clock)
            } else if queue.pages[delivery.clock]?.epoch == epoch {
                add(delivery, to: &queue)
            }
        }
        return Set(deliveries.map(\.clock))
    }

    /// Adds a delivery to the page of its clock, unless the page must be read. Then it may lack earlier deliveries.
    private func add(_ delivery: Delivery, to queue: inout EndpointQueue) {
        guard queue.pages[delivery.clock]?.changes == changes[delivery.clock, default: 0] else { return }
        if queue.pages[delivery.clock]?.reading == nil {
            queue.pages[delivery.clock]?.insert(delivery)
        } else {
            queue.pages[delivery.clock]?.added.append(delivery)
        }
    }

    /// Notes that deliveries on a clock may have changed in the store.
    ///
    /// - Returns: the clocks to dispatch.
    @discardableResult
    mutating func outdate(_ clock: ClockName) -> Set<ClockName> {
        changes[clock, default: 0] += 1
        return [clock]
    }

    /// Forgets the deliveries of an account, because they were erased or moved to another clock.
    mutating func forget(_ account: AccountID, in scope: AccountScope) {
        for name in queues.keys where name.scope == scope {
            guard var queue = queues.removeValue(forKey: name) else { continue }
            queue.entries = [:]
            queue.forgotten.formUnion(queue.underWay.keys)
            queue.pages = queue.pages.mapValues { page in
                var page = page
                page.deliveries.removeAll { $0.account == account }
                page.added.removeAll { $0.account == account }
                if page.reading != nil { page.forgotten.insert(account) }
                return page
            }
            queues[name] = queue
        }
    }
}

// MARK: - After a post

extension DeliveryQueue {
    /// Whether the fault `reorder` can hold a delivery back: only if neither this delivery nor another one of the same
    /// subscription was held back, because that one waits for this one.
    func canHoldBack(_ delivery: Delivery) -> Bool {
        queues[delivery.endpointName]?.heldBack.values.allSatisfy { held in
            held.delivery.notification != delivery.notification
                && (held.delivery.original == nil || held.delivery.original != delivery.original)
        } ?? true
    }

    /// Releases the deliveries that were held back for a delivery which was attempted now.
    ///
    /// - Returns: the released deliveries. Their clock is dispatched when the attempt ends.
    mutating func release(after done: Delivery) -> [Delivery] {
        guard let original = done.original, let held = queues[done.endpointName]?.heldBack, !held.isEmpty else {
            return []
        }
        let released = held.values.map(\.delivery).filter {
            $0.original == original && $0.notification < done.notification
        }
        for delivery in released {
            queues[done.endpointName]?.heldBack[delivery.notification]?.until = Timestamp(milliseconds: .min)
        }
        return released
    }

    /// Notes that a delivery was posted and is recorded now.
    ///
    /// - Returns: the clocks to dispatch, because the endpoint has capacity again.
    mutating func posted(_ delivery: Delivery) -> Set<ClockName> {
        queues[delivery.endpointName]?.heldBack[delivery.notification] = nil
        queues[delivery.endpointName]?.posting -= 1
        return queues[delivery.endpointName]?.takeWaiting() ?? []
    }

    /// Ends an attempt.
    ///
    /// - Returns: the clocks to dispatch.
    mutating func end(_ delivery: Delivery, _ outcome: Outcome) -> Set<ClockName> {
        guard var queue = queues.removeValue(forKey: delivery.endpointName) else { return [] }
        defer { queues[delivery.endpointName] = queue }
        let changesBefore = queue.underWay.removeValue(forKey: delivery.notification)
        if let original = delivery.firstOf { queue.busy.remove(original) }
        var dispatched = queue.takeWaiting().union([delivery.clock])
        let isForgotten = queue.forgotten.remove(delivery.notification) != nil
        if isForgotten {
            dispatched.formUnion(queue.pages.keys)
            for clock in queue.pages.keys { outdate(clock) }
        } else if changesBefore != changes[delivery.clock, default: 0] {
            // A read during the attempt did not find the delivery as it is now.
            outdate(delivery.clock)
        }
        switch outcome {
        case .recorded(let done):
            if !isForgotten { add(done, to: &queue) }
        case .heldBack(let end):
            queue.posting -= 1
            queue.heldBack[delivery.notification] = (delivery, end)
            add(delivery, to: &queue)
        case .unrecorded(let end):
            queue.pages[delivery.clock]?.epoch = nil
            queue.pages[delivery.clock]?.failedUntil = end
        }
        return dispatched
    }
}

// MARK: - Alarms

extension DeliveryQueue {
    /// The clocks to dispatch now. Their alarms are removed.
    mutating func takeAlarms(at realTime: Timestamp) -> Set<ClockName> {
        let due = alarms.filter { $0.value <= realTime }.map(\.key)
        for clock in due { alarms[clock] = nil }
        return Set(due)
    }

    /// Whether to discard the deliveries to removed endpoints now; true once in each interval. Also removes clocks that
    /// do not exist from memory.
    mutating func takeSweep(at realTime: Timestamp, exists: (ClockName) -> Bool) -> Bool {
        let isDue = nextSweep.map { $0 <= realTime } ?? false
        if isDue || nextSweep == nil { nextSweep = realTime.advanced(milliseconds: Self.sweepInterval) }
        guard isDue else { return false }
        queues = queues.mapValues { queue in
            var queue = queue
            queue.pages = queue.pages.filter { $0.value.reading != nil || exists($0.key) }
            queue.startedEarly = [[], queue.startedEarly[0]]
            return queue
        }
        changes = changes.filter { exists($0.key) }
        return true
    }
}
