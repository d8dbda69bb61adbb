import Logging
import TillCore
import TillStorage

/// Finishes what a crash interrupted.
extension Shop {
    /// Finishes advances and jobs that a crash interrupted, or that were in progress when a restored snapshot was
    /// taken.
    func resumeLongWork() async {
        for record in clocks.all {
            guard let pendingAdvance = record.pendingAdvance else { continue }
            do {
                // If a caller or another node holds the lock of this clock, it finishes the advance itself.
                guard advanceUnderWay(on: record.name) == nil, try await isFree(record.name) else { continue }
                try await gate.shared {
                    try await exclusively(record.name.lockKey) { try await finish(pendingAdvance, of: record) }
                }
            } catch {
                logger.error(
                    "an interrupted advance could not be finished",
                    metadata: ["app": "\(record.app)", "cause": "\(error.logText)"]
                )
            }
        }
        for clock in everyClock where doesJobs(of: clock.scope) {
            do {
                for job in try await jobs.pending(on: clock) where job.at <= now(on: clock) {
                    _ = try await gate.shared { try await jobRunner.run(job, on: clock) }
                }
            } catch {
                logger.error(
                    "a job could not be finished",
                    metadata: ["app": "\(clock.scope.app)", "cause": "\(error.logText)"]
                )
            }
        }
    }

    private func finish(_ pendingAdvance: Clocks.Advance, of record: Clocks.Record) async throws {
        // Meanwhile, a restore may have removed the advance, or another node may have finished it.
        guard clocks.record(record.name).pendingAdvance == pendingAdvance else { return }
        logger.notice(
            "resuming an interrupted advance",
            metadata: ["app": "\(record.app)", "to": "\(pendingAdvance.to.iso8601)"]
        )
        _ = try await advancing(on: record.name, to: pendingAdvance.to, thenAt: pendingAdvance.speed)
    }

    private func isFree(_ name: ClockName) async throws -> Bool {
        guard let cluster else { return true }
        return try await !cluster.storage.leases().contains { $0.name == name.lockKey }
    }
}
