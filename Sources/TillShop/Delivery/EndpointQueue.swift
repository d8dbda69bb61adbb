import TillCore
import TillStorage

/// The pending deliveries to an endpoint on a clock that are in memory.
struct DeliveryPage {
    /// The first pending deliveries that are not under way, in the order in which they are due.
    var deliveries: [Delivery] = []
    /// Other deliveries are due at this instant or later; nil if there are no others.
    var horizon: Timestamp?
    /// The epoch in which the page was read; nil if it must be read.
    var epoch: Shop.Epoch?
    /// When the read began, in real time.
    var readAt = Timestamp(milliseconds: .min)
    /// The number of changes on the clock when the read began.
    var changes: Int?
    /// While the page is read: the deliveries that were under way before. If such an attempt ends during the read, the
    /// read still returns its delivery as due.
    var reading: Set<NotificationID>?
    /// The deliveries that were added during the read.
    var added: [Delivery] = []
    /// The accounts whose deliveries were moved to another clock or erased during the read.
    var forgotten: Set<AccountID> = []
    /// The number of changes when the page was filled; nil after it was used. Until the next change, a page may be used
    /// once even if deliveries changed during the read. Otherwise, many changes could prevent every start.
    var filled: Int?
    /// When the page may be read after the store failed, in real time.
    var failedUntil: Timestamp?

    /// Inserts a delivery at its place, unless it is behind the horizon.
    mutating func insert(_ delivery: Delivery) {
        guard let due = delivery.due, horizon.map({ due < $0 }) ?? true,
            !deliveries.contains(where: { $0.notification == delivery.notification })
        else { return }
        let index = deliveries.firstIndex { other in
            other.due.map { ($0, other.notification) > (due, delivery.notification) } ?? true
        }
        deliveries.insert(delivery, at: index ?? deliveries.endIndex)
        if deliveries.count > DeliveryQueue.pageLength { horizon = deliveries.removeLast().due }
    }

    func isCurrent(_ now: DeliveryQueue.Situation) -> Bool {
        (readAt..<readAt.advanced(milliseconds: DeliveryQueue.pageLife)).contains(now.realTime)
    }
}

/// The deliveries to one endpoint.
struct EndpointQueue {
    /// The deliveries that are posted or recorded now, each with the number of changes on its clock when it started.
    var underWay: [NotificationID: Int] = [:]
    /// The deliveries under way that may have been moved to another clock or erased.
    var forgotten: Set<NotificationID> = []
    /// The number of deliveries that are posted now. The other ones under way are recorded.
    var posting = 0
    /// The original transactions whose first attempt is under way.
    var busy: Set<TransactionID> = []
    /// The deliveries that the fault `reorder` holds back, each until a wall-clock time, or until a later delivery of
    /// the same subscription was attempted.
    var heldBack: [NotificationID: (delivery: Delivery, until: Timestamp)] = [:]
    var pages: [ClockName: DeliveryPage] = [:]
    /// The clocks with due deliveries that wait until an attempt ends.
    var waiting: Set<ClockName> = []
    /// The epoch of `entries`, `startedEarly` and `heldBack`. After an import, other notifications have their numbers.
    private(set) var epoch: Shop.Epoch?
    /// The notifications that were handed over and not posted yet.
    var entries: [NotificationID: OutboxEntry] = [:]
    /// The deliveries that were started from a read since the last sweep but one. They may be handed over later,
    /// because a commit can be read before its signal arrives.
    var startedEarly: [Set<NotificationID>] = [[], []]

    var isAtLimit: Bool {
        posting >= DeliveryQueue.maxPosting || underWay.count >= DeliveryQueue.maxInProgress
    }

    /// Forgets what is known of the notifications of an earlier epoch.
    mutating func enter(_ epoch: Shop.Epoch) {
        guard self.epoch != epoch else { return }
        self.epoch = epoch
        (entries, startedEarly, heldBack) = ([:], [[], []], [:])
    }

    mutating func takeWaiting() -> Set<ClockName> {
        defer { waiting = [] }
        return waiting
    }
}

extension Delivery {
    var endpointName: EndpointName { EndpointName(scope, endpoint) }

    /// The original transaction whose order the next attempt keeps; nil for a retry.
    var firstOf: TransactionID? { attempts.isEmpty ? original : nil }
}

extension EndpointQueue {
    /// When the deliveries on a clock must be dispatched again if nothing else happens, in real time; nil if never.
    func alarm(_ clock: ClockName, _ now: DeliveryQueue.Situation) -> Timestamp? {
        guard let page = pages[clock], page.reading == nil else { return nil }
        let present = now.present
        let next = page.deliveries.first { $0.due.map { $0 > present } ?? false }?.due
        let dates = [next, page.horizon.flatMap { $0 > present ? $0 : nil }].compactMap(\.self)
        let waits = dates.compactMap { now.clock.wait(until: $0, realTime: now.realTime) }
        var alarms = waits.map { now.realTime.advanced(milliseconds: Int64(min($0, 86_400_000).rounded(.up))) }
        if let horizon = page.horizon, horizon <= present {
            alarms.append(now.realTime.advanced(milliseconds: DeliveryQueue.pageLife))
        }
        let held = page.deliveries.compactMap { heldBack[$0.notification]?.until }
        return (alarms + held + [page.failedUntil].compactMap(\.self)).filter { $0 > now.realTime }.min()
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
