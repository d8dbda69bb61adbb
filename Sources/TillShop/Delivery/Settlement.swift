import Foundation
import Synchronization
import TillCore
import TillStorage

/// The deliveries that an operation causes, and the wait until they are made.
///
/// The delivery worker reports each attempt, and other nodes report theirs with a `NodeEvent`, so that the wait ends as
/// soon as the last delivery is made. It ends earlier if no delivery can succeed before the end: a retry is due later,
/// or the endpoint receives nothing.
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
        /// Whether a report arrived that the waiting task has not seen yet.
        var isReported = false
        var waiting: CheckedContinuation<Void, Never>?
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
        await readDeliveries()
        while !isOver, state.withLock({ !$0.expected.isEmpty }) {
            // A delivery may also end without an attempt: its endpoint is removed, or all data is replaced.
            await report(within: min(ContinuousClock.now.duration(to: end), .seconds(1)))
            await readDeliveries()
        }
    }

    /// Takes over the result of an attempt.
    fileprivate func note(_ delivery: Delivery) {
        let isExpected = isExpected(delivery)
        let isDone = state.withLock { state in
            state.take(delivery, isExpected)
            return state.expected.isEmpty
        }
        if isDone { resume() }
    }

    /// Reports that another node made attempts.
    fileprivate func noteAttempts(on clock: ClockName) {
        if state.withLock({ $0.expected.values.contains { $0.clock == clock } }) { resume() }
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
        guard let due = delivery.due,
            shop.activeTargets(of: delivery.scope).contains(where: { $0.key == delivery.endpoint })
        else { return false }
        let now = shop.now(on: delivery.clock)
        guard due > now else { return true }
        let wait = Double(due.milliseconds - now.milliseconds)
        let speed =
            switch shop.clocks.state(delivery.clock) {
            case .frozen: 0.0
            case .real: 1.0
            case .running(_, _, let speed): speed
            }
        return speed > 0 && .milliseconds(wait / speed) <= ContinuousClock.now.duration(to: end)
    }

    // MARK: Waiting for a report

    private func report(within limit: Duration) async {
        let timer = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            resume()
        }
        await withCheckedContinuation { continuation in
            let isReported = state.withLock { state in
                if !state.isReported { state.waiting = continuation }
                defer { state.isReported = false }
                return state.isReported
            }
            if isReported { continuation.resume() }
        }
        timer.cancel()
    }

    private func resume() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            if state.waiting == nil { state.isReported = true }
            return state.waiting
        }
        waiting?.resume()
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

    /// Reports a recorded attempt of this node.
    func note(_ delivery: Delivery) {
        for settlement in all.withLock({ Array($0.values) }) { settlement.note(delivery) }
    }

    /// Reports attempts of another node.
    func noteAttempts(on clock: ClockName) {
        for settlement in all.withLock({ Array($0.values) }) { settlement.noteAttempts(on: clock) }
    }
}
