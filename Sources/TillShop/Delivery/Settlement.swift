import Foundation
import Synchronization
import TillCore
import TillStorage

/// The deliveries that an operation causes, and the wait until they are made.
///
/// The delivery worker reports each attempt, and other nodes report theirs with a `NodeEvent`, so that the wait ends as
/// soon as the last delivery is made. It ends earlier if no delivery can succeed before the end: a retry is due later,
/// the endpoint receives nothing, or the fault `reorder` holds the delivery back.
package final class Settlement: Sendable {
    /// The state of the deliveries after the wait.
    package struct Result: Sendable {
        /// The number of deliveries that succeeded.
        package var delivered: Int
        /// The other deliveries.
        package var pending: [Delivery]
    }

    fileprivate struct Key: Hashable {
        let notification: NotificationID
        let endpoint: String

        init(_ delivery: Delivery) { (notification, endpoint) = (delivery.notification, delivery.endpoint) }
    }

    fileprivate struct State {
        var delivered = 0
        /// The deliveries to wait for.
        var expected: [Key: Delivery] = [:]
        /// The deliveries that are not expected to succeed before the end.
        var others: [Key: Delivery] = [:]
        /// What ends the wait for a report of attempts.
        var report = Awaited<Void>()
    }

    /// The settlement of the operation that the current task runs; nil if the operation does not wait for deliveries.
    @TaskLocal static var current: Settlement?

    private let shop: Shop
    private let end: ContinuousClock.Instant
    private let state = Mutex(State())

    /// Creates the settlement of an operation.
    ///
    /// - Parameter limit: how long the settlement waits at most, in real time from now.
    package init(in shop: Shop, within limit: Duration) {
        self.shop = shop
        end = .now + limit
    }

    /// Whether the settlement waits no longer.
    var isOver: Bool { ContinuousClock.now >= end || shop.locks.isStopping.value || Task.isCancelled }

    /// Runs an operation, and collects the deliveries that it commits.
    package func collect<Value>(_ operation: () async throws -> Value) async throws -> Value {
        try await Self.$current.withValue(self, operation: operation)
    }

    /// Adds deliveries that are due now, or later.
    func add(_ deliveries: [Delivery]) {
        state.withLock { state in
            for delivery in deliveries {
                state.others[Key(delivery)] = nil
                state.expected[Key(delivery)] = delivery
            }
        }
    }

    /// Waits for the collected deliveries, and returns their state.
    package func result() async -> Result {
        // A delivery that was not expected may have been made since then.
        state.withLock { state in
            state.expected.merge(state.others) { expected, _ in expected }
            state.others = [:]
        }
        await wait()
        return state.withLock { state in
            Result(delivered: state.delivered, pending: Array(state.expected.values) + Array(state.others.values))
        }
    }

    /// Waits until no delivery is expected, or until the end.
    func wait() async {
        shop.signals.settlements.add(self)
        defer { shop.signals.settlements.remove(self) }
        while true {
            let report = Awaited<Void>()
            state.withLock { $0.report = report }
            await readDeliveries()
            if isOver || state.withLock({ $0.expected.isEmpty }) { return }
            // A delivery may also end without an attempt: its endpoint is removed, or all data is replaced.
            _ = await report.value(within: min(ContinuousClock.now.duration(to: end), .seconds(1)))
        }
    }

    /// Adds deliveries if a later one is expected.
    fileprivate func add(_ deliveries: [Delivery], after later: Delivery) {
        guard state.withLock({ $0.expected[Key(later)] != nil }) else { return }
        add(deliveries)
    }

    /// Takes over the result of an attempt.
    fileprivate func note(_ delivery: Delivery) {
        let isExpected = isExpected(delivery)
        state.withLock { state in
            state.take(delivery, isExpected)
            if state.expected.isEmpty { state.report.resume(with: ()) }
        }
    }

    /// Reports that another node made attempts.
    fileprivate func noteAttempts(on clock: ClockName) {
        state.withLock { state in
            if state.expected.values.contains(where: { $0.clock == clock }) { state.report.resume(with: ()) }
        }
    }

    /// Reads the expected deliveries from the store.
    private func readDeliveries() async {
        let expected = state.withLock { Array($0.expected.keys) }
        for start in stride(from: 0, to: expected.count, by: 1_000) {
            let keys = expected[start..<min(start + 1_000, expected.count)]
            guard let stored = try? await shop.storage.deliveries(of: Array(Set(keys.map(\.notification)))) else {
                return
            }
            for key in keys {
                if let delivery = stored[key.notification]?.first(where: { $0.endpoint == key.endpoint }) {
                    let isExpected = isExpected(delivery)
                    state.withLock { $0.take(delivery, isExpected) }
                } else {
                    // The notification was erased.
                    state.withLock { _ = $0.expected.removeValue(forKey: key) }
                }
            }
        }
    }

    /// Whether a delivery is attempted before the end.
    private func isExpected(_ delivery: Delivery) -> Bool {
        guard let due = delivery.due, !shop.isHeldBack(delivery),
            shop.activeTargets(of: delivery.scope).contains(where: { $0.key == delivery.endpoint })
        else { return false }
        let wait = shop.clocks.state(delivery.clock).wait(until: due, realTime: shop.wallClock())
        return wait.map { .milliseconds($0) <= ContinuousClock.now.duration(to: end) || $0 == 0 } ?? false
    }
}

extension Settlement.State {
    /// Takes over the stored state of an expected delivery.
    fileprivate mutating func take(_ delivery: Delivery, _ isExpected: Bool) {
        let key = Settlement.Key(delivery)
        guard expected[key] != nil else { return }
        expected[key] = isExpected ? delivery : nil
        guard !isExpected else { return }
        if delivery.due == nil, delivery.isDelivered {
            delivered += 1
        } else {
            others[key] = delivery
        }
    }
}

/// The settlements that wait for deliveries now.
final class Settlements: Sendable {
    private let all = Mutex<[ObjectIdentifier: Settlement]>([:])

    func add(_ settlement: Settlement) { all.withLock { $0[ObjectIdentifier(settlement)] = settlement } }

    func remove(_ settlement: Settlement) { all.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(settlement)) } }

    /// Adds deliveries to those that wait for a later one.
    func add(_ deliveries: [Delivery], after later: Delivery) {
        for settlement in waiting { settlement.add(deliveries, after: later) }
    }

    /// Reports a recorded attempt of this node.
    func note(_ delivery: Delivery) { for settlement in waiting { settlement.note(delivery) } }

    /// Reports attempts of another node.
    func noteAttempts(on clock: ClockName) { for settlement in waiting { settlement.noteAttempts(on: clock) } }

    private var waiting: [Settlement] { all.withLock { Array($0.values) } }
}
