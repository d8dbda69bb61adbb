import DequeModule
import Foundation
import Logging
import ServiceLifecycle
import TillCore
import TillStorage

/// Delivers notifications: reads due deliveries, posts them, records the attempts and schedules the retries.
///
/// The first attempts for an original transaction are made in order, each after the previous first attempt has ended.
/// Retries have their own schedule and delay no other delivery. Every endpoint has its own concurrency limit, so that
/// an unreachable endpoint does not slow down other endpoints. If a crash interrupts an attempt, it is repeated with
/// the same bytes.
package actor DeliveryWorker: Service {
    private struct Key: Hashable {
        let notification: NotificationID
        let endpoint: String
    }

    /// The queue of first attempts for one original transaction.
    private struct TransactionQueue: Hashable {
        let scope: AccountScope
        let endpoint: String
        let original: TransactionID
    }

    private struct EndpointQueue: Hashable {
        let scope: AccountScope
        let endpoint: String
    }

    /// The due deliveries of an endpoint on a clock.
    private struct PageKey: Hashable {
        let queue: EndpointQueue
        let clock: ClockName
    }

    /// Deliveries that were read but could not start yet, in their order. Without this buffer, the end of every attempt
    /// would cause a read of many deliveries, only to start one.
    private struct Page {
        var rest: Deque<Delivery>
        let epoch: Shop.Epoch
        let read: ContinuousClock.Instant
    }

    /// The concurrency limit of an endpoint. A delivery can be posted while earlier attempts are still being recorded.
    private struct ConcurrencyLimit {
        var posting = 0
        var recording = 0

        /// The number of posts that may begin now.
        var free: Int { min(Self.maxPosting - posting, Self.maxInProgress - posting - recording) }
        var isEmpty: Bool { posting + recording == 0 }

        private static let maxPosting = 16
        private static let maxInProgress = 64
    }

    private let shop: Shop
    private let webhookClient: WebhookClient
    private let records: AttemptRecords
    private var underWay: Set<Key> = []
    private var busy: Set<TransactionQueue> = []
    private var limits: [EndpointQueue: ConcurrencyLimit] = [:]
    /// The clocks with due deliveries to an endpoint that has reached its concurrency limit.
    private var waitingForCapacity: [EndpointQueue: Set<ClockName>] = [:]
    /// The deliveries that the fault `reorder` holds back, each until a wall-clock time.
    private var reordered: [Key: Timestamp] = [:]
    private var dispatching: Set<ClockName> = []
    private var dispatchAgain: Set<ClockName> = []
    /// When the next delivery is due on a running clock, in real time.
    private var alarms: [ClockName: Timestamp] = [:]
    /// The clocks whose alarm must be set. While many deliveries are posted, this is not done after each attempt.
    private var alarmsToSet: Set<ClockName> = []
    private var isStopping = false
    /// When the deliveries to removed endpoints are discarded next, in real time.
    private var nextSweep: Timestamp?
    private static let sweepInterval: Int64 = 60_000
    private var pages: [PageKey: Page] = [:]
    private var skipped = SkippedRows()
    /// How long the deliveries of a page may be used after they were read.
    private static let pageLife = Duration.milliseconds(250)
    private static let pageLength = 128

    /// Creates a delivery worker for a shop.
    package init(_ shop: Shop, webhookClient: WebhookClient) {
        self.shop = shop
        self.webhookClient = webhookClient
        records = AttemptRecords(storage: shop.storage, logger: shop.logger)
        // The delivery worker holds the shop, so the shop's signals hold the worker weakly.
        shop.signals.add(
            Signals.Listener(pending: { [weak self] clock in
                guard let self else { return }
                // Detached, because dispatching must not use the write precondition of the operation that signalled.
                Task.detached { await self.dispatch(clock) }
            })
        )
    }

    /// Delivers until the server stops.
    package func run() async throws {
        for clock in shop.everyClock { await dispatch(clock) }
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                try? await Task.sleep(for: .milliseconds(100))
                await self.checkAlarms()
            }
        }
        await stop()
    }

    /// Starts no more attempts, and ends the attempts in progress. Attempts that were not recorded are repeated after
    /// the next start of the server.
    package func stop() async {
        isStopping = true
        try? await webhookClient.shutdown()
    }

    /// Dispatches the clocks on which deliveries have become due.
    private func checkAlarms() async {
        let realTime = shop.wallClock()
        for (clock, instant) in alarms where instant <= realTime {
            alarms[clock] = nil
            await dispatch(clock)
        }
        let clocks = alarmsToSet
        alarmsToSet = []
        for clock in clocks { await setAlarm(clock) }
        for place in shop.listeners.endLeases(at: realTime) {
            await shop.endListening(in: place.scope)
            await drop(EndpointName(place.scope, place.endpoint))
        }
        guard let sweep = nextSweep else {
            nextSweep = realTime.advanced(milliseconds: Self.sweepInterval)
            return
        }
        guard sweep <= realTime else { return }
        nextSweep = realTime.advanced(milliseconds: Self.sweepInterval)
        await discardUnneededDeliveries()
    }

    /// Discards deliveries to endpoints that do not exist. Such deliveries were created while an endpoint was being
    /// removed, or for a listener before a restart of the server.
    package func discardUnneededDeliveries() async {
        for pending in (try? await shop.storage.pendingEndpoints()) ?? [] { await drop(pending) }
    }

    /// Discards the deliveries to an endpoint that does not exist.
    private nonisolated func drop(_ pending: EndpointName) async {
        await shop.gate.shared {
            guard shop.deliveryTargets(of: pending.scope).allSatisfy({ $0.key != pending.endpoint }) else { return }
            try? await shop.storage.dropDeliveries(to: pending.endpoint, in: pending.scope)
        }
    }

    /// Starts the deliveries that are due on a clock and may start now.
    package func dispatch(_ clock: ClockName) async {
        guard !isStopping else { return }
        guard dispatching.insert(clock).inserted else {
            dispatchAgain.insert(clock)
            return
        }
        repeat {
            dispatchAgain.remove(clock)
            do {
                for endpoint in shop.activeTargets(of: clock.scope) { try await start(endpoint, on: clock) }
            } catch {
                tryLater(clock, because: error)
            }
            if limits.isEmpty { await setAlarm(clock) } else { alarmsToSet.insert(clock) }
        } while dispatchAgain.contains(clock)
        dispatching.remove(clock)
    }

    private func tryLater(_ clock: ClockName, because error: any Error) {
        alarms[clock] = shop.wallClock().advanced(milliseconds: 1_000)
        // It is not an error that a stop of the server interrupts the read.
        guard !isStopping, !Task.isCancelled, !(error is CancellationError) else { return }
        shop.logger.error("deliveries could not be read", metadata: ["cause": "\(error.logText)"])
    }

    private func setAlarm(_ clock: ClockName) async {
        let state = shop.clocks.state(clock)
        guard state.moves else { return }
        let next: Timestamp?
        do {
            next = try await shop.nextDeliveryHere(on: clock)
        } catch {
            return tryLater(clock, because: error)
        }
        guard let due = next, state.last.map({ due <= $0 }) ?? true else { return }
        let realTime = shop.wallClock()
        let wait = Double(due.milliseconds - state.shown(realTime: realTime).milliseconds)
        // A delivery that is already due needs no alarm: it is tried again when an attempt ends.
        guard wait > 0 else { return }
        var speed = 1.0
        if case .running(_, _, let factor) = state { speed = factor }
        alarms[clock] = realTime.advanced(milliseconds: Int64(min(wait / speed, 86_400_000).rounded(.up)))
    }

    private func start(_ endpoint: EndpointRecord, on clock: ClockName) async throws {
        // The listener is connected to another node, which passes the notifications to it.
        if endpoint.isListener, shop.listeners.registration(in: clock.scope) == nil { return }
        let queue = EndpointQueue(scope: clock.scope, endpoint: endpoint.key)
        let capacity = limits[queue, default: ConcurrencyLimit()].free
        guard capacity > 0 else {
            waitingForCapacity[queue, default: []].insert(clock)
            return
        }
        let place = PageKey(queue: queue, clock: clock)
        if var page = pages.removeValue(forKey: place), page.epoch == shop.epoch, page.read + Self.pageLife > .now,
            begin(&page, to: endpoint, on: clock, queue, capacity) > 0
        {
            keep(page, of: place)
            return
        }
        let now = shop.now(on: clock)
        // Copied before the read. If an attempt ends during the read, the read still returns its delivery as due.
        let before = underWay
        let epoch = shop.epoch
        let limit = Self.pageLength + before.count + skipped.count
        let found = try await shop.dueDeliveriesHere(to: endpoint, on: clock, until: now, limit: limit)
        skipped.report(found.damaged, to: shop.logger)
        let due = found.deliveries.filter {
            !before.contains(Key(notification: $0.notification, endpoint: endpoint.key))
        }
        // Other calls may have started deliveries during the read.
        let left = limits[queue, default: ConcurrencyLimit()].free
        var page = Page(rest: Deque(due), epoch: epoch, read: .now)
        _ = begin(&page, to: endpoint, on: clock, queue, left)
        keep(page, of: place)
    }

    /// Keeps the rest of a page until an attempt to the endpoint ends, because that frees capacity or a transaction
    /// queue.
    private func keep(_ page: Page, of place: PageKey) {
        guard !page.rest.isEmpty else { return }
        pages[place] = page
        waitingForCapacity[place.queue, default: []].insert(place.clock)
    }

    /// Starts the deliveries of a page that may start, and leaves the rest in it.
    ///
    /// - Returns: the number of deliveries that were started.
    private func begin(
        _ page: inout Page,
        to endpoint: EndpointRecord,
        on clock: ClockName,
        _ queue: EndpointQueue,
        _ capacity: Int
    ) -> Int {
        // The endpoint may have been paused, changed or removed while the page was read.
        guard let endpoint = shop.activeTargets(of: clock.scope).first(where: { $0.key == endpoint.key }) else {
            page.rest = []
            return 0
        }
        var started = 0
        var waiting: Set<TransactionID> = []
        var behind: [Delivery] = []
        while started < capacity, let delivery = page.rest.popFirst() {
            let key = Key(notification: delivery.notification, endpoint: endpoint.key)
            guard !underWay.contains(key) else { continue }
            if let end = reordered[key], shop.wallClock() < end { continue }
            var transactionQueue: TransactionQueue?
            if delivery.attempts.isEmpty, let original = delivery.original {
                transactionQueue = TransactionQueue(scope: clock.scope, endpoint: endpoint.key, original: original)
                // If a delivery could not start, later deliveries of the same original transaction must wait, too.
                guard let transactionQueue, !busy.contains(transactionQueue), !waiting.contains(original) else {
                    waiting.insert(original)
                    behind.append(delivery)
                    continue
                }
            }
            guard shop.begin(delivery, to: endpoint) else { continue }
            if let transactionQueue { busy.insert(transactionQueue) }
            underWay.insert(key)
            limits[queue, default: ConcurrencyLimit()].posting += 1
            started += 1
            let (taken, epoch) = (transactionQueue, page.epoch)
            Task { await self.attempt(delivery, key, taken, queue, endpoint, clock, epoch) }
        }
        page.rest.prepend(contentsOf: behind)
        return started
    }

    private func attempt(
        _ delivery: Delivery,
        _ key: Key,
        _ transactionQueue: TransactionQueue?,
        _ queue: EndpointQueue,
        _ endpoint: EndpointRecord,
        _ clock: ClockName,
        _ epoch: Shop.Epoch
    ) async {
        let hits = hits(on: delivery, clock)
        var done: Delivery?
        if let hit = hits.first(where: { $0.rule.kind == .reorder }), reordered[key] == nil {
            // This delivery waits, so that the next delivery of the same original transaction is sent first.
            let end = shop.wallClock().advanced(milliseconds: Int64(max(hit.milliseconds, 100)))
            reordered[key] = end
            alarms[clock] = min(alarms[clock] ?? end, end)
            if let entry = try? await shop.storage.notification(delivery.notification) { await note(hit, entry) }
        } else {
            done = await send(delivery, endpoint, clock, hits)
        }
        limits[queue]?.posting -= 1
        if let done, !isStopping {
            limits[queue]?.recording += 1
            let next = waitingForCapacity.removeValue(forKey: queue) ?? []
            if !next.isEmpty { Task { for clock in next { await self.dispatch(clock) } } }
            await note(done, epoch)
            reordered[key] = nil
            limits[queue]?.recording -= 1
        }
        if limits[queue]?.isEmpty == true { limits[queue] = nil }
        shop.end(delivery, to: endpoint)
        underWay.remove(key)
        if let transactionQueue { busy.remove(transactionQueue) }
        let others = waitingForCapacity.removeValue(forKey: queue) ?? []
        await dispatch(clock)
        for other in others where other != clock { await dispatch(other) }
    }

    /// Records an attempt, unless all data was replaced after the notification was read.
    private nonisolated func note(_ done: Delivery, _ epoch: Shop.Epoch) async {
        // Enters before a waiting exclusive caller, because an advance that holds the shared lock may wait for this.
        await shop.gate.shared(aheadOfWriters: true) {
            if shop.gate.epoch == epoch.here { await records.note(done, epoch: epoch.everywhere) }
        }
        shop.signals.attempted(done)
    }

    /// The faults that hit a notification during its delivery.
    private func hits(on delivery: Delivery, _ clock: ClockName) -> [FaultHit] {
        guard !shop.faults.isEmpty else { return [] }
        let target = FaultRules.Target(
            environment: clock.scope.environment,
            app: clock.scope.app,
            route: delivery.type + (delivery.subtype.map { "/\($0)" } ?? ""),
            customer: nil
        )
        return shop.faults.hits(onNotification: target)
    }

    /// Makes one attempt; nil if the server stops during it.
    private func send(
        _ delivery: Delivery,
        _ endpoint: EndpointRecord,
        _ clock: ClockName,
        _ hits: [FaultHit]
    ) async -> Delivery? {
        do {
            // An endpoint of version 1 receives no notifications of version 2 other than tests.
            let isWanted = !endpoint.takesOnlyTests || delivery.type == NotificationType.test.rawValue
            guard isWanted, let entry = try await shop.storage.notification(delivery.notification) else {
                var gone = delivery
                gone.due = nil
                return gone
            }
            let body = try shop.postedBody(entry)
            for hit in hits { await note(hit, entry) }
            if let delay = hits.filter({ $0.rule.kind == .delay }).map(\.milliseconds).max() {
                try await Task.sleep(for: .milliseconds(delay))
            }
            if hits.contains(where: { $0.rule.kind == .drop }) {
                return after(AttemptResult(result: .success, milliseconds: 0), delivery, clock, endpoint.version)
            }
            if hits.contains(where: { $0.rule.kind == .duplicate }), !endpoint.isListener {
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
            shop.logger.error("a notification could not be sent", metadata: ["cause": "\(error.logText)"])
            return after(AttemptResult(result: .other, milliseconds: 0), delivery, clock, endpoint.version)
        }
    }

    private nonisolated func logRefusal(_ delivered: AttemptResult, _ entry: OutboxEntry, _ endpoint: EndpointRecord) {
        shop.logger.warning(
            "a delivery was refused because of its endpoint's address",
            metadata: [
                "app": "\(entry.scope.app)", "environment": "\(entry.scope.environment.wireName)",
                "endpoint": "\(endpoint.name)", "notification": "\(entry.uuid)",
                "cause": "\(delivered.explanation ?? "")",
            ]
        )
    }

    /// Records a fault hit in the request log, under the notification's UUID.
    private func note(_ hit: FaultHit, _ entry: OutboxEntry) async {
        await shop.requestLog.note(
            RequestLogEntry(
                id: "\(entry.uuid)/\(hit.rule.id)/\(UUID().uuidString.prefix(8))",
                at: shop.wallClock(),
                environment: entry.scope.environment,
                method: "POST",
                path: entry.type,
                status: 200,
                app: entry.scope.app,
                explanation: hit.rule.words
            )
        )
    }

    /// The delivery with this attempt, and with the due date of the next attempt.
    ///
    /// If the attempt was due while the clock was advanced or frozen, its date is when it was due (`SkippedTime`).
    private func after(
        _ delivered: AttemptResult,
        _ delivery: Delivery,
        _ clock: ClockName,
        _ version: NotificationVersion
    ) -> Delivery {
        let date = shop.clocks.dateOfAttempt(due: delivery.due, on: clock)
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
        // A removed endpoint receives no more attempts.
        let isGone = !shop.deliveryTargets(of: clock.scope).contains { $0.key == delivery.endpoint }
        done.due =
            delivered.result == .success || isGone
            ? nil : schedule.next(afterAttempts: done.attempts.count, last: date)
        return done
    }
}
