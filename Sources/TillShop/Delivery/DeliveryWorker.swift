import Foundation
import Logging
import ServiceLifecycle
import Synchronization
import TillCore
import TillStorage
import Tracing

/// What the delivery worker reads and writes.
struct DeliveryStore: Sendable {
    /// The pending deliveries that this node makes, earliest first, at most this number.
    let pending: @Sendable (EndpointRecord, ClockName, Int) async throws -> DueDeliveries
    /// The notification with this number; nil if there is none.
    let notification: @Sendable (NotificationID) async throws -> OutboxEntry?
    /// Stores delivery attempts, if the data of their apps was not replaced since this epoch of the database.
    let record: @Sendable ([Delivery], Int64?) async throws -> Void
}

/// Posts notifications to URLs.
package protocol WebhookPosting: Sendable {
    /// Makes one attempt to post a JSON body, with the span of the delivery in its trace.
    func post(_ body: [UInt8], to url: String, trace: TraceContext?) async -> AttemptResult

    /// Ends posts in progress and later posts.
    func shutdown() async throws
}

/// Delivers notifications: reads and posts what `DeliveryQueue` says, and records the attempts. If a crash interrupts
/// an attempt, it is repeated with the same bytes.
package final class DeliveryWorker: Service {
    private struct State {
        var queue: DeliveryQueue
        /// The reasons why deliveries cannot be read. These deliveries stay in the store and do not delay others.
        var damage: Set<String> = []
        var isStopping = false
    }

    private let shop: Shop
    private let store: DeliveryStore
    private let webhookClient: any WebhookPosting
    private let records: AttemptRecords
    private let state: Mutex<State>

    private var isStopping: Bool { state.withLock { $0.isStopping } }
    /// The number of deliveries under way; nil while pending deliveries are read.
    var load: Int? { state.withLock { $0.queue.load } }

    /// Creates a delivery worker for a shop.
    package convenience init(_ shop: Shop, webhookClient: WebhookClient) {
        let store = DeliveryStore(
            pending: { try await shop.pendingDeliveriesHere(to: $0, on: $1, limit: $2) },
            notification: { try await shop.storage.notification($0) },
            record: { try await shop.storage.record($0, epoch: $1) }
        )
        self.init(shop, store: store, webhookClient: webhookClient)
    }

    init(_ shop: Shop, store: DeliveryStore, webhookClient: any WebhookPosting) {
        self.shop = shop
        self.store = store
        self.webhookClient = webhookClient
        records = AttemptRecords(gate: shop.gate, logger: shop.logger, store: store)
        state = Mutex(State(queue: DeliveryQueue(isShared: shop.cluster != nil)))
        // The delivery worker holds the shop, so the shop's signals hold the worker weakly.
        shop.signals.add(
            Signals.Listener(
                pending: { [weak self] clock in self?.change { $0.outdate(clock) } },
                committed: { [weak self] change in self?.committed(change) }
            )
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
        state.withLock { $0.isStopping = true }
        try? await webhookClient.shutdown()
    }

    // MARK: The queue

    /// Reads the deliveries on a clock, and starts those that are due and may start now.
    package func dispatch(_ clock: ClockName) async {
        await take(steps { $0.outdate(clock) })
    }

    /// Hands over the deliveries of a change that was committed.
    private func committed(_ commit: Change) {
        let moved = commit.accounts.filter(\.changesClock).map { ($0.account.id, $0.account.clockName.scope) }
        let gone = moved + [commit.erasure.map { ($0.account, $0.scope) }].compactMap(\.self)
        guard !commit.deliveries.isEmpty || !gone.isEmpty else { return }
        change { queue in
            for (account, scope) in gone { queue.forget(account, in: scope) }
            return queue.handOver(commit.deliveries, commit.notifications, shop.epoch(of:))
        }
    }

    /// Changes the queue, and takes the steps that follow.
    ///
    /// - Parameter body: returns the clocks to dispatch.
    private func change(_ body: (inout DeliveryQueue) -> Set<ClockName>) {
        for step in steps(body) { begin(step) }
    }

    private func steps(_ body: (inout DeliveryQueue) -> Set<ClockName>) -> [DeliveryQueue.Step] {
        state.withLock { state in
            guard !state.isStopping else { return [] }
            return body(&state.queue).flatMap { clock in
                let now = DeliveryQueue.Situation(
                    endpoints: shop.deliveryTargets(of: clock.scope),
                    isListenerElsewhere: shop.listeners.registration(in: clock.scope) == nil,
                    epoch: shop.epoch(of: clock.scope.app),
                    clock: shop.clocks.state(clock),
                    realTime: shop.wallClock()
                )
                return state.queue.dispatch(clock, now) { shop.begin($0, to: $1) }
            }
        }
    }

    @discardableResult
    private func begin(_ step: DeliveryQueue.Step) -> Task<Void, Never> {
        // Detached, because a delivery must not use the write precondition of the operation that signalled.
        Task.detached { [self] in
            switch step {
            case .post(let delivery, let endpoint, let epoch, let entry):
                await attempt(delivery, to: endpoint, epoch, entry)
            case .read(let endpoint, let clock, let limit):
                await read(endpoint, on: clock, limit: limit)
            }
        }
    }

    /// Takes steps, and waits until nothing is read.
    private func take(_ steps: [DeliveryQueue.Step]) async {
        for step in steps {
            let task = begin(step)
            if case .read = step { await task.value }
        }
    }

    private func read(_ endpoint: EndpointRecord, on clock: ClockName, limit: Int) async {
        let name = EndpointName(clock.scope, endpoint.key)
        var found: DueDeliveries?
        do {
            found = try await store.pending(endpoint, clock, limit + state.withLock { $0.damage.count })
        } catch  where isStopping || Task.isCancelled || error is CancellationError {
            // It is not an error that a stop of the server interrupts the read.
        } catch {
            shop.logger.error("deliveries could not be read", metadata: ["cause": "\(error.logText)"])
        }
        for row in found?.damaged ?? [] where state.withLock({ $0.damage.insert(row.reason).inserted }) {
            shop.logger.error("a delivery was skipped", metadata: ["cause": "\(row.logText)"])
        }
        // If all rows of a page are damaged, more rows are read later.
        if found?.deliveries.isEmpty == true, found?.horizon != nil { found = nil }
        let next = steps { queue in
            if let found {
                queue.fill(name, on: clock, with: found)
            } else {
                queue.readFailed(name, on: clock, until: pause())
            }
            return [clock]
        }
        await take(next)
    }

    /// When the store is used again after it failed.
    private func pause() -> Timestamp { shop.wallClock().advanced(milliseconds: 1_000) }

    /// Dispatches the clocks on which deliveries have become due, and discards unneeded deliveries.
    func tick() async {
        let realTime = shop.wallClock()
        change { $0.takeAlarms(at: realTime) }
        for listener in shop.listeners.endLeases(at: realTime) {
            await shop.endListening(in: listener.scope)
            await drop(EndpointName(listener.scope, listener.endpoint))
        }
        let isSweepDue = state.withLock { $0.queue.takeSweep(at: realTime, exists: shop.clocks.exists) }
        if isSweepDue { await discardUnneededDeliveries() }
    }

    /// Discards deliveries to endpoints that do not exist. Such deliveries were created while an endpoint was being
    /// removed, or for a listener before a restart of the server.
    package func discardUnneededDeliveries() async {
        for pending in (try? await shop.storage.pendingEndpoints()) ?? [] { await drop(pending) }
    }

    /// Discards the deliveries to an endpoint that does not exist.
    private func drop(_ pending: EndpointName) async {
        await shop.gate.shared {
            guard shop.deliveryTargets(of: pending.scope).allSatisfy({ $0.key != pending.endpoint }) else { return }
            try? await shop.storage.dropDeliveries(to: pending.endpoint, in: pending.scope)
            shop.checkAllClocks()
        }
    }

    // MARK: An attempt

    private func attempt(
        _ delivery: Delivery,
        to endpoint: EndpointRecord,
        _ epoch: Shop.Epoch,
        _ entry: OutboxEntry?
    ) async {
        let hits = hits(on: delivery, endpoint)
        let outcome: DeliveryQueue.Outcome
        if let hit = hits.first(where: { $0.rule.kind == .reorder }) {
            let end = shop.wallClock().advanced(milliseconds: Int64(max(hit.milliseconds, 100)))
            outcome = .heldBack(until: end)
            if let entry = try? await store.notification(delivery.notification) { await note(hit, entry) }
            shop.signals.heldBack.hold(delivery, until: end, epoch)
        } else {
            let done = await send(delivery, to: endpoint, hits, entry)
            guard !isStopping else { return shop.end(delivery, to: endpoint) }
            // Without a new attempt, the notification was gone.
            if done.attempts.count > delivery.attempts.count, let attempt = done.attempts.last {
                shop.metrics.countAttempt(in: done.scope.environment, attempt.result)
            }
            change { $0.posted(delivery) }
            outcome = await records.record(done, epoch) ? .recorded(done) : .unrecorded(until: pause())
            shop.signals.released(state.withLock { $0.queue.release(after: done) }, by: done)
            shop.signals.attempted(done)
        }
        shop.end(delivery, to: endpoint)
        change { $0.end(delivery, outcome) }
        if case .heldBack = outcome { shop.signals.endWaits(for: delivery) }
    }

    /// The faults that hit a notification during its delivery to an endpoint.
    private func hits(on delivery: Delivery, _ endpoint: EndpointRecord) -> [FaultHit] {
        guard !shop.faults.isEmpty else { return [] }
        let canHoldBack = state.withLock { $0.queue.canHoldBack(delivery) }
        return shop.faults.hits(onNotification: FaultRules.Target(delivery, to: endpoint), canHoldBack: canHoldBack)
    }

    /// Makes one attempt, and returns the delivery with it.
    private func send(_ delivery: Delivery, to endpoint: EndpointRecord, _ hits: [FaultHit], _ entry: OutboxEntry?)
        async
        -> Delivery
    {
        var result = AttemptResult(result: .other, milliseconds: 0)
        var failure: String?
        var sent: OutboxEntry?
        var trace: TraceScope?
        do {
            // An endpoint of version 1 receives no notifications of version 2 other than tests.
            let isWanted = !endpoint.takesOnlyTests || delivery.type == NotificationType.test.rawValue
            var entry = isWanted ? entry : nil
            if isWanted, entry == nil { entry = try await store.notification(delivery.notification) }
            if let found = entry, found.content.isUnsigned { entry = try await shop.signed([found]).first?.entry }
            sent = entry
            guard let entry, let body = try shop.postedBody(entry) else {
                var gone = delivery
                gone.due = nil
                return gone
            }
            trace = TraceScope.begin("deliver notification", .client, from: entry.trace)
            if !hits.isEmpty { try await apply(hits, to: entry) }
            let kinds = Set(hits.map(\.rule.kind))
            if kinds.contains(.drop) {
                result.result = .success
            } else if endpoint.isListener {
                result = await shop.listeners.deliver(body, entry, in: entry.scope)
            } else {
                if kinds.contains(.duplicate) {
                    _ = await webhookClient.post(body, to: endpoint.url, trace: trace?.trace)
                }
                result = await webhookClient.post(body, to: endpoint.url, trace: trace?.trace)
            }
        } catch {
            failure = error.logText
        }
        // If the attempt was due while the clock was advanced or frozen, this is when it was due (`SkippedTime`).
        let date = shop.clocks.dateOfAttempt(due: delivery.due, on: delivery.clock)
        let done = delivery.after(
            result,
            at: date,
            shop.settings.schedule(of: endpoint.version, in: delivery.scope.environment),
            isGone: !shop.deliveryTargets(of: delivery.scope).contains { $0.key == delivery.endpoint }
        )
        let attempt = LoggedAttempt(delivery: done, endpoint: endpoint, entry: sent, result: result, failure: failure)
        // A stop of the server interrupts attempts, which are not recorded then.
        if !isStopping { attempt.log(to: shop.logger, trace) }
        trace?.end(failure: attempt.cause, attempt.attributes)
        return done
    }

    /// Records faults in the request log, and waits as they say.
    private func apply(_ hits: [FaultHit], to entry: OutboxEntry) async throws {
        for hit in hits { await note(hit, entry) }
        if let delay = hits.filter({ $0.rule.kind == .delay }).map(\.milliseconds).max() {
            try await Task.sleep(for: .milliseconds(delay))
        }
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
