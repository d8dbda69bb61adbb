import TillCore
import TillStorage

/// The dates of pending deliveries. A delivery that cannot be read has no date.
extension Shop {
    /// The targets to which deliveries are made now: those that are not paused.
    func activeTargets(of scope: AccountScope) -> [EndpointRecord] {
        deliveryTargets(of: scope).filter { $0.isPaused != true }
    }

    /// When the next delivery is due on a clock that is not held back; nil if none will be made.
    package func nextDelivery(on clock: ClockName) async throws -> Timestamp? {
        try await earliest(on: clock, activeTargets(of: clock.scope)) { !isHeldBack($0) }
    }

    /// The earliest date of all pending deliveries on a clock.
    func earliestDelivery(on clock: ClockName) async throws -> Timestamp? {
        try await earliest(on: clock, deliveryTargets(of: clock.scope))
    }

    /// The maximum number of deliveries to read behind one that cannot be read.
    private static let maxBehindDamage = 1_000

    private func earliest(
        on clock: ClockName,
        _ targets: [EndpointRecord],
        _ isCounted: (Delivery) -> Bool = { _ in true }
    ) async throws -> Timestamp? {
        var dates: [Timestamp] = []
        for target in targets {
            var limit = 1 + signals.heldBack.count(to: target.key, in: clock.scope)
            var found = try await storage.dueDeliveries(to: target.key, on: clock, until: .never, limit: limit)
            if found.deliveries.isEmpty, !found.damaged.isEmpty {
                limit += Self.maxBehindDamage
                found = try await storage.dueDeliveries(to: target.key, on: clock, until: .never, limit: limit)
            }
            dates += found.deliveries.filter(isCounted).compactMap(\.due)
        }
        return dates.min()
    }
}

extension Timestamp {
    /// A date after all others.
    static let never = Timestamp(milliseconds: .max)
}
