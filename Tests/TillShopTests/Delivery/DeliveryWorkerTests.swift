import Foundation
import Testing
import TillCore
import TillStorage
import TillTestSupport

@testable import TillShop

/// Runs random schedules of results, restarts, clocks, pauses, removed endpoints and faults.
@Suite("The delivery worker under random schedules")
struct DeliveryWorkerTests {
    private static let isSoak = ProcessInfo.processInfo.environment["TILL_SOAK"] != nil
    private static let seeds: UInt64 = isSoak ? 5_000 : 240
    /// The number of schedules that share a shop.
    private static let batch: UInt64 = 60

    @Test("First attempts keep their order, nothing is lost, and only a restart repeats a post")
    func laws() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for start in stride(from: 1, through: Self.seeds, by: Int(Self.batch)) {
                group.addTask {
                    let test = try await TestShop()
                    for seed in start..<min(start + Self.batch, Self.seeds + 1) {
                        let run = try await DeliveryRun(DeliverySchedule(seed: seed), in: test)
                        try await run.run()
                        Self.check(run)
                    }
                    #expect(test.log.errors.isEmpty)
                }
            }
            try await group.waitForAll()
        }
    }

    private static func check(_ run: DeliveryRun) {
        let seed = run.schedule.seed
        #expect(run.violations.isEmpty, "seed \(seed)")
        var posted: [FakeDeliveryStore.Key: Int] = [:]
        for post in run.posts { posted[post.key, default: 0] += 1 }
        for post in run.interrupted { posted[post.key, default: 0] -= 1 }
        for (key, delivery) in run.store.deliveries {
            #expect(isComplete(delivery), "seed \(seed): \(key) is lost, or its dates are wrong")
            let isFaulty = !run.faults.filter {
                [.drop, .duplicate].contains($0.key) && $0.value.contains(delivery.type)
            }.isEmpty
            #expect(isFaulty || posted[key] ?? 0 == delivery.attempts.count, "seed \(seed): \(key) has extra posts")
        }
    }

    /// Whether a delivery succeeded, or is due when the schedule says, or has all its attempts.
    private static func isComplete(_ delivery: Delivery) -> Bool {
        let attempts = delivery.attempts
        let waits = RetrySchedule.production.waits
        let areDatesRight = zip(attempts, attempts.dropFirst()).enumerated().allSatisfy { index, pair in
            pair.1.date >= pair.0.date.advanced(milliseconds: waits[index])
        }
        let isEnded = delivery.isDelivered ? attempts.last?.result == .success : attempts.count == waits.count + 1
        let next = attempts.last.flatMap { RetrySchedule.production.next(afterAttempts: attempts.count, last: $0.date) }
        return areDatesRight && (delivery.due == nil ? isEnded : attempts.isEmpty || delivery.due == next)
    }
}
