import Foundation
import Logging
import ServiceLifecycle
import TillCore
import TillStorage

/// What the delivery worker reads and writes.
protocol DeliveryStore: Sendable {
    /// The due deliveries that this node makes, earliest first.
    func dueDeliveriesHere(to endpoint: EndpointRecord, on clock: ClockName, until: Timestamp, limit: Int) async throws
        -> DueDeliveries

    /// When the next delivery that this node makes is due on a clock; nil if none will be made.
    func nextDeliveryHere(on clock: ClockName) async throws -> Timestamp?

    /// The notification with this number; nil if there is none.
    func notification(_ id: NotificationID) async throws -> OutboxEntry?

    /// Stores delivery attempts, if the data still has this epoch.
    func record(_ deliveries: [Delivery], epoch: Int64?) async throws
}

/// Posts notifications to URLs.
package protocol WebhookPosting: Sendable {
    /// Makes one attempt to post a JSON body.
    func post(_ body: [UInt8], to url: String) async -> AttemptResult

    /// Ends posts in progress and later posts.
    func shutdown() async throws
}

/// Delivers notifications: reads due deliveries, posts those that `DeliveryQueue` starts, and records the attempts. If
/// a crash interrupts an attempt, it is repeated with the same bytes.
package actor DeliveryWorker: Service {
    private let shop: Shop
    private let store: any DeliveryStore
    private let webhookClient: any WebhookPosting
    private let records: AttemptRecords
    private(set) var queue = DeliveryQueue()
    /// The clocks that are dispatched now, each with whether it must be dispatched again.
    private(set) var dispatching: [ClockName: Bool] = [:]
    /// The reasons why deliveries cannot be read. These deliveries stay in the store and do not delay others.
    private var damage: Set<String> = []
    private var isStopping = false

    /// Creates a delivery worker for a shop.
    package init(_ shop: Shop, webhookClient: WebhookClient) {
        self.init(shop, store: shop, webhookClient: webhookClient)
    }

    init(_ shop: Shop, store: any DeliveryStore, webhookClient: any WebhookPosting) {
        self.shop = shop
        self.store = store
        self.webhookClient = webhookClient
        records = AttemptRecords(store: store, logger: shop.logger)
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
                await self.tick()
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

    // MARK: Due deliveries

    /// Starts the deliveries that are due on a clock and may start now.
    package func dispatch(_ clock: ClockName) async {
        guard !isStopping, dispatching.updateValue(true, forKey: clock) == nil else { return }
        while dispatching.updateValue(false, forKey: clock) == true {
            let shown = shop.now(on: clock)
            do {
                for endpoint in shop.deliveryTargets(of: clock.scope) {
                    try await start(EndpointName(clock.scope, endpoint.key), on: clock)
                }
                queue.dispatched(clock, at: shown)
            } catch {
                tryLater(clock, because: error)
            }
        }
        dispatching[clock] = nil
    }

    private func start(_ name: EndpointName, on clock: ClockName) async throws {
        var step = step(name, clock)
        if case .read(let endpoint, let limit, var page) = step {
            let now = shop.now(on: clock)
            let limit = limit + damage.count
            let found = try await store.dueDeliveriesHere(to: endpoint, on: clock, until: now, limit: limit)
            for row in found.damaged where damage.insert(row.reason).inserted {
                shop.logger.error("a delivery was skipped", metadata: ["cause": "\(row.logText)"])
            }
            page.fill(found.deliveries)
            step = self.step(name, clock, page)
        }
        guard case .post(let deliveries, let endpoint, let epoch) = step else { return }
        for delivery in deliveries { Task { await attempt(delivery, to: endpoint, epoch) } }
    }

    private func step(_ name: EndpointName, _ clock: ClockName, _ page: DeliveryQueue.Page? = nil)
        -> DeliveryQueue.Step
    {
        let endpoint = shop.deliveryTargets(of: name.scope).first { $0.key == name.endpoint }
        let now = DeliveryQueue.Situation(
            endpoint: endpoint,
            isListenerElsewhere: shop.listeners.registration(in: name.scope) == nil,
            epoch: shop.epoch,
            realTime: shop.wallClock()
        )
        return queue.start(name, on: clock, now, reading: page) { delivery in
            endpoint.map { shop.begin(delivery, to: $0) } ?? false
        }
    }

    /// Dispatches the clocks on which deliveries have become due, and discards unneeded deliveries.
    func tick() async {
        let realTime = shop.wallClock()
        for clock in queue.takeAlarms(at: realTime) { await dispatch(clock) }
        for (clock, shown) in queue.takeWithoutAlarm() { await setAlarm(clock, dispatchedAt: shown) }
        for listener in shop.listeners.endLeases(at: realTime) {
            await shop.endListening(in: listener.scope)
            await drop(EndpointName(listener.scope, listener.endpoint))
        }
        if queue.takeSweep(at: realTime) { await discardUnneededDeliveries() }
    }

    private func setAlarm(_ clock: ClockName, dispatchedAt shown: Timestamp) async {
        guard shop.clocks.state(clock).moves else { return }
        do {
            // A delivery that was already due needs no alarm: it is tried again when an attempt ends.
            guard let due = try await store.nextDeliveryHere(on: clock), due > shown else { return }
            let realTime = shop.wallClock()
            guard let wait = shop.clocks.state(clock).wait(until: due, realTime: realTime) else { return }
            let milliseconds = Int64(min(wait, 86_400_000).rounded(.up))
            queue.setAlarm(clock, realTime.advanced(milliseconds: milliseconds))
        } catch {
            tryLater(clock, because: error)
        }
    }

    private func tryLater(_ clock: ClockName, because error: any Error) {
        queue.setAlarm(clock, shop.wallClock().advanced(milliseconds: 1_000))
        // It is not an error that a stop of the server interrupts the read.
        guard !isStopping, !Task.isCancelled, !(error is CancellationError) else { return }
        shop.logger.error("deliveries could not be read", metadata: ["cause": "\(error.logText)"])
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

    // MARK: An attempt

    private func attempt(_ delivery: Delivery, to endpoint: EndpointRecord, _ epoch: Shop.Epoch) async {
        let hits = hits(on: delivery)
        var wasPosted = false
        if let hit = hits.first(where: { $0.rule.kind == .reorder }), !queue.wasHeldBack(delivery) {
            let wait = Int64(max(hit.milliseconds, 100))
            queue.holdBack(delivery, until: shop.wallClock().advanced(milliseconds: wait))
            if let entry = try? await store.notification(delivery.notification) { await note(hit, entry) }
        } else {
            let done = await send(delivery, to: endpoint, hits)
            if !isStopping {
                wasPosted = true
                for clock in queue.posted(delivery) { Task { await dispatch(clock) } }
                await note(done, epoch)
            }
        }
        shop.end(delivery, to: endpoint)
        for clock in queue.end(delivery, wasPosted: wasPosted) { await dispatch(clock) }
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
    private func hits(on delivery: Delivery) -> [FaultHit] {
        guard !shop.faults.isEmpty else { return [] }
        let target = FaultRules.Target(
            environment: delivery.scope.environment,
            app: delivery.scope.app,
            route: delivery.type + (delivery.subtype.map { "/\($0)" } ?? ""),
            customer: nil
        )
        return shop.faults.hits(onNotification: target)
    }

    /// Makes one attempt, and returns the delivery with it.
    private func send(_ delivery: Delivery, to endpoint: EndpointRecord, _ hits: [FaultHit]) async -> Delivery {
        var result = AttemptResult(result: .other, milliseconds: 0)
        do {
            // An endpoint of version 1 receives no notifications of version 2 other than tests.
            let isWanted = !endpoint.takesOnlyTests || delivery.type == NotificationType.test.rawValue
            guard isWanted, let entry = try await store.notification(delivery.notification) else {
                var gone = delivery
                gone.due = nil
                return gone
            }
            result = try await post(entry, to: endpoint, hits)
            if result.isRefused { logRefusal(result, entry, endpoint) }
        } catch  where isStopping {
            // The attempt is not recorded.
        } catch {
            shop.logger.error("a notification could not be sent", metadata: ["cause": "\(error.logText)"])
        }
        // If the attempt was due while the clock was advanced or frozen, this is when it was due (`SkippedTime`).
        let date = shop.clocks.dateOfAttempt(due: delivery.due, on: delivery.clock, realTime: shop.wallClock)
        return delivery.after(
            result,
            at: date,
            shop.settings.schedule(of: endpoint.version, in: delivery.scope.environment),
            isGone: !shop.deliveryTargets(of: delivery.scope).contains { $0.key == delivery.endpoint }
        )
    }

    private func post(_ entry: OutboxEntry, to endpoint: EndpointRecord, _ hits: [FaultHit]) async throws
        -> AttemptResult
    {
        let body = try shop.postedBody(entry)
        for hit in hits { await note(hit, entry) }
        if let delay = hits.filter({ $0.rule.kind == .delay }).map(\.milliseconds).max() {
            try await Task.sleep(for: .milliseconds(delay))
        }
        let kinds = Set(hits.map(\.rule.kind))
        if kinds.contains(.drop) { return AttemptResult(result: .success, milliseconds: 0) }
        if endpoint.isListener { return await shop.listeners.deliver(body, entry, in: entry.scope) }
        if kinds.contains(.duplicate) { _ = await webhookClient.post(body, to: endpoint.url) }
        return await webhookClient.post(body, to: endpoint.url)
    }

    private nonisolated func logRefusal(_ result: AttemptResult, _ entry: OutboxEntry, _ endpoint: EndpointRecord) {
        shop.logger.warning(
            "a delivery was refused because of its endpoint's address",
            metadata: [
                "app": "\(entry.scope.app)", "environment": "\(entry.scope.environment.wireName)",
                "endpoint": "\(endpoint.name)", "notification": "\(entry.uuid)",
                "cause": "\(result.explanation ?? "")",
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
}

extension Shop: DeliveryStore {
    func notification(_ id: NotificationID) async throws -> OutboxEntry? { try await storage.notification(id) }

    func record(_ deliveries: [Delivery], epoch: Int64?) async throws {
        try await storage.record(deliveries, epoch: epoch)
    }
}
