import Synchronization
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Runs a schedule on a delivery worker, with a fake store and a fake webhook client.
final class DeliveryRun {
    typealias Post = FakeWebhookClient.Post
    typealias Key = FakeDeliveryStore.Key

    let schedule: DeliverySchedule
    let store = FakeDeliveryStore()
    /// The posts of all webhook clients, oldest first.
    private(set) var posts: [Post] = []
    /// The posts that a stop of the worker interrupted.
    private(set) var interrupted: [Post] = []
    private(set) var violations: [String] = []
    /// The types that were reordered, dropped or duplicated.
    private(set) var faults: [FaultKind: Set<String>] = [:]

    private let test: TestShop
    private let scope: AccountScope
    private let clocks: [ClockName]
    private var client: FakeWebhookClient
    private var worker: DeliveryWorker
    private var random: SeededRandom
    private var hangs: UInt64 = 0

    init(_ schedule: DeliverySchedule, in test: TestShop) async throws {
        (self.schedule, self.test) = (schedule, test)
        random = SeededRandom(seed: schedule.seed)
        let app = AppRecord(
            bundleID: "com.example.s\(schedule.seed)",
            appleID: 5,
            name: "",
            issuerID: test.app.issuerID,
            createdAt: test.now
        )
        try await test.shop.registry.put(app)
        let scope = AccountScope(environment: .sandbox, app: app.bundleID)
        self.scope = scope
        clocks = (0..<schedule.clocks).map { ClockName(scope, own: $0 == 0 ? nil : "own") }
        client = Self.client(store, schedule, test.shop)
        worker = DeliveryWorker(test.shop, store: store.deliveryStore, webhookClient: client)
        let shop = test.shop
        try await shop.setup.updateRules(of: scope) {
            $0.endpoints = DeliverySchedule.endpoints.map { EndpointRecord(name: $0, url: $0) }
        }
        if clocks.count > 1 { try await shop.createClock(clocks[1], .frozen(at: test.now)) }
    }

    private static func client(_ store: FakeDeliveryStore, _ schedule: DeliverySchedule, _ shop: Shop)
        -> FakeWebhookClient
    {
        let keepsOrder = !schedule.steps.contains { if case .fault(.reorder, _, _) = $0 { true } else { false } }
        return FakeWebhookClient(store, seed: schedule.seed) { post, deliveries in
            guard let delivery = deliveries[post.key], delivery.attempts.isEmpty, let due = delivery.due else {
                return nil
            }
            if due > shop.now(on: delivery.clock) { return "\(post.key) is not due" }
            guard shop.activeTargets(of: delivery.scope).contains(where: { $0.key == delivery.endpoint }) else {
                return "\(post.key) is posted to an endpoint that is paused or removed"
            }
            guard keepsOrder, let original = delivery.original else { return nil }
            let isFirst = deliveries.values.allSatisfy { other in
                guard other.endpoint == delivery.endpoint, other.original == original, other.attempts.isEmpty,
                    let otherDue = other.due
                else { return true }
                return otherDue > due || (otherDue == due && other.notification >= delivery.notification)
            }
            return isFirst ? nil : "\(post.key) is posted before an earlier first attempt has ended"
        }
    }

    /// Runs all steps, and then ends every fault and pause, so that all due deliveries are made.
    func run() async throws {
        for step in schedule.steps {
            try await take(step)
            try await settle()
        }
        _ = try await test.shop.faults.remove(nil)
        for endpoint in DeliverySchedule.endpoints {
            try await take(.restore(endpoint))
            try await take(.pause(endpoint, false))
        }
        try await settle()
        // The fault `reorder` may still hold deliveries back.
        test.advance(10_000)
        try await settle()
        await worker.stop()
        collect()
        for (key, delivery) in store.deliveries {
            guard let due = delivery.due, due <= test.shop.now(on: delivery.clock) else { continue }
            violations.append("\(key) is due and was not posted")
        }
    }

    private func take(_ step: DeliverySchedule.Step) async throws {
        let shop = test.shop
        switch step {
        case .add(let notifications):
            for new in notifications {
                // All notifications about an original transaction are on one clock.
                let clock = clocks[(new.original ?? new.clock) % clocks.count]
                let due = shop.now(on: clock).advanced(milliseconds: new.delay)
                let change = store.add(new, on: clock, due: due)
                // Most changes are handed over. The others are like those of another server, or of one that crashed.
                if random.chance(80) { shop.signals.committed(change) } else { await worker.dispatch(clock) }
            }
        case .pass(let milliseconds):
            test.advance(milliseconds)
            await worker.tick()
        case .freeze(let clock): _ = try? await shop.setClock(clocks[clock], .freeze(at: nil))
        case .run(let clock, let speed): _ = try? await shop.setClock(clocks[clock], .run(speed: speed))
        case .advance(let clock, let span): _ = try? await shop.advance(clocks[clock], .by(milliseconds: span))
        case .pause(let name, let isPaused): try await change { if $0.name == name { $0.isPaused = isPaused } }
        case .remove(let name):
            try await shop.setup.updateRules(of: scope) { $0.endpoints.removeAll { $0.name == name } }
        case .restore(let name):
            guard shop.registry.rules(of: scope).endpoint(name) == nil else { return }
            try await shop.setup.updateRules(of: scope) { $0.endpoints.append(EndpointRecord(name: name, url: name)) }
        case .fault(let kind, let type, let milliseconds):
            faults[kind, default: []].insert(type)
            var rule = FaultRule(id: "", kind: kind, seed: 1)
            (rule.app, rule.route, rule.milliseconds) = (scope.app, type, milliseconds)
            _ = try await shop.faults.add(rule)
        case .clearFaults: _ = try await shop.faults.remove(nil)
        case .restart(let share):
            try await whileHanging(share) {
                await worker.stop()
                collect()
                client = Self.client(store, schedule, shop)
                worker = DeliveryWorker(shop, store: store.deliveryStore, webhookClient: client)
                for clock in clocks { await worker.dispatch(clock) }
            }
        case .hang(let share, let clock, let span):
            try await whileHanging(share) {
                _ = try? await shop.advance(clocks[clock], .by(milliseconds: span))
                try await calm()
                client.release()
            }
        }
    }

    private func change(_ change: @escaping @Sendable (inout EndpointRecord) -> Void) async throws {
        try await test.shop.setup.updateRules(of: scope) { rules in
            for index in rules.endpoints.indices { change(&rules.endpoints[index]) }
        }
    }

    /// Adds some notifications, and runs a body while some of their posts hang.
    private func whileHanging(_ share: Int, _ body: () async throws -> Void) async throws {
        client.letHang(share)
        hangs += 1
        let other = DeliverySchedule(seed: schedule.seed &+ hangs)
        let new = other.steps.first { if case .add = $0 { true } else { false } }
        if let new { try await take(new) }
        try await calm()
        try await body()
    }

    private func collect() {
        posts += client.posts
        interrupted += client.interrupted
        violations += client.violations
    }

    /// Waits for everything that the last step caused, and for what is due now.
    private func settle() async throws {
        try await calm()
        await worker.tick()
        try await calm()
    }

    /// Waits until the worker reads nothing, and every post under way hangs.
    private func calm() async throws {
        var number = 0
        while worker.load != client.waiting {
            number += 1
            if number % 40 == 0 { try await Task.sleep(for: .microseconds(300)) } else { await Task.yield() }
        }
    }
}
