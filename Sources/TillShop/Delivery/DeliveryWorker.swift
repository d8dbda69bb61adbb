import DequeModule
import Foundation
import Logging
import ServiceLifecycle
import TillCore
import TillStorage

/// Sends what is owed: claims what is due, posts it, notes the attempt, plans the next.
///
/// First attempts of one original transaction are made in order, each when the one before has ended; retries run on
/// their own schedule and hold up nothing. Every endpoint has room of its own, so that a dead one slows nobody else. An
/// attempt that a crash cut short is made again, with the same bytes.
package actor DeliveryWorker: Service {
    private struct Key: Hashable {
        let notification: NotificationID
        let endpoint: String
    }

    /// Where first attempts wait for each other.
    private struct Line: Hashable {
        let scope: AccountScope
        let endpoint: String
        let original: TransactionID
    }

    private struct Lane: Hashable {
        let scope: AccountScope
        let endpoint: String
    }

    /// What is due to an endpoint by a clock.
    private struct Place: Hashable {
        let lane: Lane
        let clock: ClockName
    }

    /// Deliveries that were read and could not start yet, in their order, so that not every attempt that ends reads
    /// many to start one.
    private struct Page {
        var rest: Deque<Delivery>
        let era: Shop.Era
        let read: ContinuousClock.Instant
    }

    /// How much goes on for an endpoint at once. The next is posted while the one before is noted.
    private struct Room {
        var posting = 0
        var noting = 0

        /// Posts that may begin.
        var free: Int { min(Self.mostPosting - posting, Self.mostAtAll - posting - noting) }
        var isEmpty: Bool { posting + noting == 0 }

        private static let mostPosting = 16
        private static let mostAtAll = 64
    }

    private let shop: Shop
    private let webhookClient: WebhookClient
    private let records: AttemptRecords
    private var underWay: Set<Key> = []
    private var busy: Set<Line> = []
    private var rooms: [Lane: Room] = [:]
    /// Clocks on which something is due to an endpoint that is busy.
    private var waitingForRoom: [Lane: Set<ClockName>] = [:]
    /// What a fault lets others overtake, until an instant by the wall.
    private var overtaken: [Key: Timestamp] = [:]
    private var pumping: Set<ClockName> = []
    private var pumpAgain: Set<ClockName> = []
    /// When a delivery falls due next on a clock that moves, by the wall.
    private var alarms: [ClockName: Timestamp] = [:]
    /// Clocks whose alarm is set when there is time: while much is posted, not for each attempt.
    private var alarmsToSet: Set<ClockName> = []
    private var isStopping = false
    /// When endpoints that are no more are looked for next, by the wall.
    private var nextSweep: Timestamp?
    private static let sweepInterval: Int64 = 60_000
    private var pages: [Place: Page] = [:]
    private var skipped = SkippedRows()
    /// For so long what was read is believed.
    private static let pageLife = Duration.milliseconds(250)
    private static let pageLength = 128

    /// A delivery worker over a shop.
    package init(_ shop: Shop, webhookClient: WebhookClient) {
        self.shop = shop
        self.webhookClient = webhookClient
        records = AttemptRecords(storage: shop.storage, logger: shop.logger)
        let deliveryWorker = WeakDeliveryWorker()
        shop.signals.add(Signals.Listener(owed: { clock in deliveryWorker.pump(clock) }))
        deliveryWorker.set(self)
    }

    /// Sends until the server stops.
    package func run() async throws {
        for clock in shop.everyClock { await pump(clock) }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                await self.ring()
            }
        }
        await stop()
    }

    /// Starts nothing more and ends what is under way; what was not noted is sent again.
    package func stop() async {
        isStopping = true
        try? await webhookClient.shutdown()
    }

    /// Looks at the clocks on which something has fallen due by the passing of time.
    private func ring() async {
        let wall = shop.wallClock()
        for (clock, instant) in alarms where instant <= wall {
            alarms[clock] = nil
            await pump(clock)
        }
        let clocks = alarmsToSet
        alarmsToSet = []
        for clock in clocks { await setAlarm(clock) }
        for place in shop.listeners.endLeases(at: wall) {
            await shop.endListening(in: place.scope)
            await drop(EndpointName(place.scope, place.endpoint))
        }
        guard let sweep = nextSweep else {
            nextSweep = wall.advanced(milliseconds: Self.sweepInterval)
            return
        }
        guard sweep <= wall else { return }
        nextSweep = wall.advanced(milliseconds: Self.sweepInterval)
        await forgetWhatNobodyIsOwed()
    }

    /// What was noted while its endpoint was being removed, or for a listener of an earlier process, is owed to nobody.
    package func forgetWhatNobodyIsOwed() async {
        for owed in (try? await shop.storage.owedEndpoints()) ?? [] { await drop(owed) }
    }

    /// Takes back what is owed to an endpoint, if there is no such endpoint.
    private nonisolated func drop(_ owed: EndpointName) async {
        await shop.gate.shared {
            guard shop.deliveryTargets(of: owed.scope).allSatisfy({ $0.key != owed.endpoint }) else { return }
            try? await shop.storage.dropDeliveries(to: owed.endpoint, in: owed.scope)
        }
    }

    /// Starts what is due on a clock and may start now.
    package func pump(_ clock: ClockName) async {
        guard !isStopping else { return }
        guard pumping.insert(clock).inserted else {
            pumpAgain.insert(clock)
            return
        }
        repeat {
            pumpAgain.remove(clock)
            do {
                for endpoint in shop.deliveryTargets(of: clock.scope) { try await start(endpoint, on: clock) }
            } catch {
                tryLater(clock, because: error)
            }
            if rooms.isEmpty { await setAlarm(clock) } else { alarmsToSet.insert(clock) }
        } while pumpAgain.contains(clock)
        pumping.remove(clock)
    }

    private func tryLater(_ clock: ClockName, because error: any Error) {
        alarms[clock] = shop.wallClock().advanced(milliseconds: 1_000)
        // A planned stop cuts short what is being read.
        guard !isStopping, !Task.isCancelled, !(error is CancellationError) else { return }
        shop.logger.error("deliveries were not read", metadata: ["cause": "\(error.logText)"])
    }

    private func setAlarm(_ clock: ClockName) async {
        let state = shop.clocks.state(clock)
        guard state.moves else { return }
        let next: Timestamp?
        do {
            next = try await shop.nextDueHere(on: clock).delivery
        } catch {
            return tryLater(clock, because: error)
        }
        guard let due = next, state.last.map({ due <= $0 }) ?? true else { return }
        let wall = shop.wallClock()
        let wait = Double(due.milliseconds - state.shown(wall: wall).milliseconds)
        // What is due and could not start is looked at again when something ends.
        guard wait > 0 else {
            // A delivery that cannot be read stays due and hides when the next one is.
            if skipped.count > 0 { alarms[clock] = wall.advanced(milliseconds: 1_000) }
            return
        }
        var speed = 1.0
        if case .running(_, _, let factor) = state { speed = factor }
        alarms[clock] = wall.advanced(milliseconds: Int64(min(wait / speed, 86_400_000).rounded(.up)))
    }

    private func start(_ endpoint: EndpointRecord, on clock: ClockName) async throws {
        // Somebody listens at another node, which forwards.
        if endpoint.isListener, shop.listeners.place(in: clock.scope) == nil { return }
        let lane = Lane(scope: clock.scope, endpoint: endpoint.key)
        let room = rooms[lane, default: Room()].free
        guard room > 0 else {
            waitingForRoom[lane, default: []].insert(clock)
            return
        }
        let place = Place(lane: lane, clock: clock)
        if var page = pages.removeValue(forKey: place), page.era == shop.era, page.read + Self.pageLife > .now,
            begin(&page, to: endpoint, on: clock, lane, room) > 0
        {
            keep(page, of: place)
            return
        }
        let now = shop.now(on: clock)
        // What ends while this is read would seem to be untried.
        let before = underWay
        let era = shop.era
        let limit = Self.pageLength + before.count + skipped.count
        let found = try await shop.dueDeliveriesHere(to: endpoint, on: clock, until: now, limit: limit)
        skipped.report(found.damaged, to: shop.logger)
        let due = found.deliveries.filter {
            !before.contains(Key(notification: $0.notification, endpoint: endpoint.key))
        }
        // Others may have started some meanwhile.
        let left = rooms[lane, default: Room()].free
        var page = Page(rest: Deque(due), era: era, read: .now)
        _ = begin(&page, to: endpoint, on: clock, lane, left)
        keep(page, of: place)
    }

    /// What is left of a page waits for room, or for others of its line: for the end of an attempt to its endpoint.
    private func keep(_ page: Page, of place: Place) {
        guard !page.rest.isEmpty else { return }
        pages[place] = page
        waitingForRoom[place.lane, default: []].insert(place.clock)
    }

    /// Starts what may start of a page, and leaves the rest in it.
    ///
    /// - Returns: how many were started.
    private func begin(
        _ page: inout Page,
        to endpoint: EndpointRecord,
        on clock: ClockName,
        _ lane: Lane,
        _ room: Int
    ) -> Int {
        var started = 0
        var waiting: Set<TransactionID> = []
        var behind: [Delivery] = []
        while started < room, let delivery = page.rest.popFirst() {
            let key = Key(notification: delivery.notification, endpoint: endpoint.key)
            guard !underWay.contains(key) else { continue }
            if let end = overtaken[key], shop.wallClock() < end { continue }
            var line: Line?
            if delivery.attempts.isEmpty, let original = delivery.original {
                line = Line(scope: clock.scope, endpoint: endpoint.key, original: original)
                // What is due later on the same line stays behind what could not start.
                guard let line, !busy.contains(line), !waiting.contains(original) else {
                    waiting.insert(original)
                    behind.append(delivery)
                    continue
                }
            }
            guard shop.begin(delivery, to: endpoint) else { continue }
            if let line { busy.insert(line) }
            underWay.insert(key)
            rooms[lane, default: Room()].posting += 1
            started += 1
            let (taken, era) = (line, page.era)
            Task { await self.attempt(delivery, key, taken, lane, endpoint, clock, era) }
        }
        page.rest.prepend(contentsOf: behind)
        return started
    }

    private func attempt(
        _ delivery: Delivery,
        _ key: Key,
        _ line: Line?,
        _ lane: Lane,
        _ endpoint: EndpointRecord,
        _ clock: ClockName,
        _ era: Shop.Era
    ) async {
        let strikes = strikes(on: delivery, clock)
        var done: Delivery?
        if let strike = strikes.first(where: { $0.rule.kind == .reorder }), overtaken[key] == nil {
            // The next of its line goes first; this one when some time has passed.
            let end = shop.wallClock().advanced(milliseconds: Int64(max(strike.milliseconds, 100)))
            overtaken[key] = end
            alarms[clock] = min(alarms[clock] ?? end, end)
            if let entry = try? await shop.storage.notification(delivery.notification) { await note(strike, entry) }
        } else {
            done = await send(delivery, endpoint, clock, strikes)
        }
        rooms[lane]?.posting -= 1
        if let done, !isStopping {
            rooms[lane]?.noting += 1
            let next = waitingForRoom.removeValue(forKey: lane) ?? []
            if !next.isEmpty { Task { for clock in next { await self.pump(clock) } } }
            await note(done, era)
            overtaken[key] = nil
            rooms[lane]?.noting -= 1
        }
        if rooms[lane]?.isEmpty == true { rooms[lane] = nil }
        shop.end(delivery, to: endpoint)
        underWay.remove(key)
        if let line { busy.remove(line) }
        let others = waitingForRoom.removeValue(forKey: lane) ?? []
        await pump(clock)
        for other in others where other != clock { await pump(other) }
    }

    /// Notes an attempt, unless everything was replaced since its notification was read.
    private nonisolated func note(_ done: Delivery, _ era: Shop.Era) async {
        // An advance may wait for this while somebody waits to be alone.
        await shop.gate.shared(pushing: true) {
            if shop.gate.era == era.here { await records.note(done, era: era.everywhere) }
        }
    }

    /// The faults that strike a notification on its way.
    private func strikes(on delivery: Delivery, _ clock: ClockName) -> [Strike] {
        guard !shop.faults.isEmpty else { return [] }
        let target = FaultRules.Target(
            environment: clock.scope.environment,
            app: clock.scope.app,
            route: delivery.type + (delivery.subtype.map { "/\($0)" } ?? ""),
            customer: nil
        )
        return shop.faults.strikes(onNotification: target)
    }

    /// One attempt; nil when it could not even be tried.
    private func send(
        _ delivery: Delivery,
        _ endpoint: EndpointRecord,
        _ clock: ClockName,
        _ strikes: [Strike]
    ) async -> Delivery? {
        do {
            // Of version 2, an endpoint of version 1 gets tests only.
            let isWanted = !endpoint.takesOnlyTests || delivery.type == NotificationType.test.rawValue
            guard isWanted, let entry = try await shop.storage.notification(delivery.notification) else {
                var gone = delivery
                gone.due = nil
                return gone
            }
            let body = try shop.postedBody(entry)
            for strike in strikes { await note(strike, entry) }
            if let delay = strikes.filter({ $0.rule.kind == .delay }).map(\.milliseconds).max() {
                try await Task.sleep(for: .milliseconds(delay))
            }
            if strikes.contains(where: { $0.rule.kind == .drop }) {
                return after(AttemptResult(result: .success, milliseconds: 0), delivery, clock, endpoint.version)
            }
            if strikes.contains(where: { $0.rule.kind == .duplicate }), !endpoint.isListener {
                _ = await webhookClient.post(body, to: endpoint.url)
            }
            let delivered =
                endpoint.isListener
                ? await shop.listeners.deliver(body, entry, in: clock.scope)
                : await webhookClient.post(body, to: endpoint.url)
            guard !isStopping else { return nil }
            if delivered.isRefused { logRefusal(delivered, entry, endpoint) }
            return after(delivered, delivery, clock, endpoint.version)
        } catch {
            guard !isStopping else { return nil }
            shop.logger.error("a notification was not sent", metadata: ["cause": "\(error.logText)"])
            return after(AttemptResult(result: .other, milliseconds: 0), delivery, clock, endpoint.version)
        }
    }

    private nonisolated func logRefusal(_ delivered: AttemptResult, _ entry: OutboxEntry, _ endpoint: EndpointRecord) {
        shop.logger.warning(
            "a delivery was not sent to where its endpoint leads",
            metadata: [
                "app": "\(entry.scope.app)", "environment": "\(entry.scope.environment.wireName)",
                "endpoint": "\(endpoint.name)", "notification": "\(entry.uuid)",
                "cause": "\(delivered.explanation ?? "")",
            ]
        )
    }

    /// Notes a fault in the request log, under the notification's UUID.
    private func note(_ strike: Strike, _ entry: OutboxEntry) async {
        await shop.requestLog.note(
            RequestLogEntry(
                id: "\(entry.uuid)/\(strike.rule.id)/\(UUID().uuidString.prefix(8))",
                at: shop.wallClock(),
                environment: entry.scope.environment,
                method: "POST",
                path: entry.type,
                status: 200,
                app: entry.scope.app,
                explanation: strike.rule.words
            )
        )
    }

    /// The delivery with this attempt and what follows from it.
    ///
    /// An attempt that fell due while the clock was advanced or frozen is dated when it fell due (`SkippedTime`).
    private func after(
        _ delivered: AttemptResult,
        _ delivery: Delivery,
        _ clock: ClockName,
        _ version: NotificationVersion
    ) -> Delivery {
        let date = shop.clocks.dateOfAttempt(due: delivery.due, on: clock, wall: shop.wallClock)
        var done = delivery
        done.attempts.append(
            SendAttempt(
                date: date,
                result: delivered.result,
                milliseconds: delivered.milliseconds,
                status: delivered.status,
                reason: delivered.isRefused ? delivered.explanation : nil
            )
        )
        done.isDelivered = delivery.isDelivered || delivered.result == .success
        let schedule = shop.settings.schedule(of: version, in: clock.scope.environment)
        // An endpoint that was removed meanwhile is owed nothing more.
        let isGone = !shop.deliveryTargets(of: clock.scope).contains { $0.key == delivery.endpoint }
        done.due =
            delivered.result == .success || isGone
            ? nil : schedule.next(afterAttempts: done.attempts.count, last: date)
        return done
    }
}

/// The way from the shop's signals to the delivery worker, which holds the shop.
private final class WeakDeliveryWorker: Sendable {
    private struct Held: Sendable { weak var deliveryWorker: DeliveryWorker? }

    private let held = Synchronized(Held())

    func set(_ deliveryWorker: DeliveryWorker) { held.value = Held(deliveryWorker: deliveryWorker) }

    func pump(_ clock: ClockName) {
        guard let deliveryWorker = held.value.deliveryWorker else { return }
        // It is no part of the act that told of it, and must not stand on that act's precondition.
        Task.detached { await deliveryWorker.pump(clock) }
    }
}
