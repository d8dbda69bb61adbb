import TillCore
import TillStorage

/// The dates of pending deliveries. A delivery that cannot be read has no date.
extension Shop {
    /// The targets to which deliveries are made now: those that are not paused.
    func activeTargets(of scope: AccountScope) -> [EndpointRecord] {
        deliveryTargets(of: scope).filter { $0.isPaused != true }
    }

    /// When the next delivery is due on a clock; nil if none will be made.
    package func nextDelivery(on clock: ClockName) async throws -> Timestamp? {
        try await earliest(activeTargets(of: clock.scope)) { target, limit in
            try await storage.dueDeliveries(to: target.key, on: clock, until: Self.anyTime, limit: limit)
        }
    }

    /// When the next delivery that this node makes is due on a clock.
    func nextDeliveryHere(on clock: ClockName) async throws -> Timestamp? {
        try await earliest(activeTargets(of: clock.scope)) { target, limit in
            try await dueDeliveriesHere(to: target, on: clock, until: Self.anyTime, limit: limit)
        }
    }

    /// The earliest date of all pending deliveries on a clock.
    func earliestDelivery(on clock: ClockName) async throws -> Timestamp? {
        try await earliest(deliveryTargets(of: clock.scope)) { target, limit in
            try await storage.dueDeliveries(to: target.key, on: clock, until: Self.anyTime, limit: limit)
        }
    }

    private static let anyTime = Timestamp(milliseconds: .max)
    /// The maximum number of deliveries to read behind one that cannot be read.
    private static let maxBehindDamage = 1_000

    private func earliest(
        _ targets: [EndpointRecord],
        _ read: (EndpointRecord, Int) async throws -> DueDeliveries
    ) async throws -> Timestamp? {
        var dates: [Timestamp] = []
        for target in targets {
            var found = try await read(target, 1)
            if found.deliveries.isEmpty, !found.damaged.isEmpty {
                found = try await read(target, Self.maxBehindDamage)
            }
            dates += found.deliveries.compactMap(\.due)
        }
        return dates.min()
    }
}
