import Synchronization
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// A delivery worker in a run.
protocol ScheduledWorker: Actor {
    func dispatch(_ clock: ClockName) async
    func tick() async
    func stop() async
    /// The number of deliveries under way; nil while due deliveries are read.
    var load: Int? { get }
}

extension DeliveryWorker: ScheduledWorker {
    var load: Int? { dispatching.isEmpty ? queue.count : nil }
}

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
    /// The posts after each step that alarms caused, before anything else was dispatched.
    private(set) var byAlarm: [[Post]] = []
    /// The types that were reordered, dropped or duplicated.
    private(set) var faults: [FaultKind: Set<String>] = [:]

    private let test: TestShop
    private let make: (Shop, FakeDeliveryStore, FakeWebhookClient) -> any ScheduledWorker
    private let scope: AccountScope
    private let clocks: [ClockName]
    private var client: FakeWebhookClient
    private var worker: any ScheduledWorker
    private var inactive: Set<String> = []

    init(
        _ schedule: DeliverySchedule,
        in test: TestShop,
        _ make: @escaping (Shop, FakeDeliveryStore, FakeWebhookClient) -> any ScheduledWorker
    ) async throws {
        (self.schedule, self.test, self.make) = (schedule, test, make)
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
        worker = make(test.shop, store, client)
        let shop = test.shop
        store.isActive.withLock { isActive in
            isActive = { key in shop.activeTargets(of: scope).contains { $0.key == key } }
        }
        try await shop.updateRules(of: scope) {
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
    }

    private func take(_ step: DeliverySchedule.Step) async throws {
        let shop = test.shop
        switch step {
        case .add(let notifications):
            for new in notifications {
                let clock = clocks[new.clock]
                store.add(new, in: scope, on: clock, due: shop.now(on: clock).advanced(milliseconds: new.delay))
            }
        case .pass(let milliseconds):
            test.advance(milliseconds)
            let before = client.posts.count
            await worker.tick()
            try await calm()
            byAlarm.append(client.posts.dropFirst(before).sorted())
        case .freeze(let clock): _ = try? await shop.setClock(clocks[clock], .freeze(at: nil))
        case .run(let clock, let speed): _ = try? await shop.setClock(clocks[clock], .run(speed: speed))
        case .advance(let clock, let span): _ = try? await shop.advance(clocks[clock], .by(milliseconds: span))
        case .pause(let name, let isPaused): try await change { if $0.name == name { $0.isPaused = isPaused } }
        case .remove(let name):
            try await shop.updateRules(of: scope) { $0.endpoints.removeAll { $0.name == name } }
        case .restore(let name):
            guard shop.registry.rules(of: scope).endpoint(name) == nil else { return }
            try await shop.updateRules(of: scope) { $0.endpoints.append(EndpointRecord(name: name, url: name)) }
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
                worker = make(shop, store, client)
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
        try await test.shop.updateRules(of: scope) { rules in
            for index in rules.endpoints.indices { change(&rules.endpoints[index]) }
        }
    }

    /// Adds some notifications, and runs a body while some of their posts hang.
    private func whileHanging(_ share: Int, _ body: () async throws -> Void) async throws {
        client.letHang(share)
        let new = DeliverySchedule(seed: schedule.seed &+ UInt64(posts.count) &+ 1).steps.compactMap { step in
            if case .add(let new) = step { new.filter { $0.clock < clocks.count } } else { nil }
        }
        try await take(.add(new.first ?? []))
        for clock in clocks { await worker.dispatch(clock) }
        try await calm()
        try await body()
    }

    private func collect() {
        posts += client.posts
        interrupted += client.interrupted
        violations += client.violations
    }

    /// Makes everything that is due, and sets the alarms.
    private func settle() async throws {
        for _ in 0..<2 {
            for clock in clocks { await worker.dispatch(clock) }
            try await calm()
        }
        await worker.tick()
        try await calm()
    }

    /// Waits until the worker reads nothing, and every post under way hangs.
    private func calm() async throws {
        var times = 0
        var number = 0
        while times < 4 {
            times = await worker.load == client.waiting ? times + 1 : 0
            number += 1
            if number % 40 == 0 { try await Task.sleep(for: .microseconds(300)) } else { await Task.yield() }
        }
    }
}
