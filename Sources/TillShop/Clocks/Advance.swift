import Logging
import TillCore
import TillStorage
import Tracing

/// How far to advance a clock.
package enum AdvanceTarget: Equatable, Sendable {
    case to(Timestamp)
    case by(milliseconds: Int64)
    case byPeriod(Period)
    /// Advances to the next event: a deadline of an account, a job, or a scheduled delivery.
    case toNextEvent
}

/// Advances clocks, and processes every event that is due on the way.
extension Shop {
    /// Advances a clock, and returns once every resulting change is committed.
    ///
    /// In a `Settlement`, the clock stops at each instant at which a delivery is due, and waits for the deliveries that
    /// are due. After the end of the settlement, the advance continues without waiting.
    package func advance(_ name: ClockName, _ target: AdvanceTarget) async throws -> AdvanceReport {
        guard clocks.exists(name) else {
            throw ClockRefused(code: "unknown_clock", message: "There is no clock \(name.key); create it first.")
        }
        try settings.checkMayMove(name)
        let present = now(on: name)
        let instant: Timestamp
        switch target {
        case .to(let wanted): instant = wanted
        case .by(let milliseconds): instant = present.advanced(milliseconds: milliseconds)
        case .byPeriod(let period): instant = period.end(from: present)
        case .toNextEvent: instant = try await nextEvent(on: name, after: present)
        }
        if instant < present { throw goingBack(name, from: present, to: instant) }
        try ClockState.requireBeforeEnd(instant)
        let speed: Double =
            switch clocks.state(name) {
            case .frozen: 0
            case .real: 1
            case .running(_, _, let speed): speed
            }
        return try await pendingAdvance(on: name, to: instant, thenAt: speed)
    }

    private func nextEvent(on name: ClockName, after present: Timestamp) async throws -> Timestamp {
        let due = try await storage.dueAccounts(on: name, until: .never, in: nil, limit: 1).first?.due
        let job = try await jobs.pending(on: name).first?.at
        let delivery = try await nextDelivery(on: name).flatMap { $0 > present ? $0 : nil }
        guard let next = [due, delivery, job].compactMap({ $0 }).min() else {
            throw ClockRefused(
                code: "nothing_to_come",
                message: "No event is pending on this clock. Give an instant or a duration instead."
            )
        }
        return max(next, present)
    }

    func pendingAdvance(on name: ClockName, to target: Timestamp, thenAt speed: Double) async throws -> AdvanceReport {
        try await exclusively(name.lockKey) { try await advancing(on: name, to: target, thenAt: speed) }
    }

    /// Performs an advance. The caller must hold the lock of the clock.
    func advancing(on name: ClockName, to target: Timestamp, thenAt speed: Double) async throws -> AdvanceReport {
        guard let trace = TraceScope.begin("advance clock", .internal) else {
            return try await moving(name, to: target, thenAt: speed)
        }
        do {
            let report = try await ServiceContext.withValue(trace.context) {
                try await moving(name, to: target, thenAt: speed)
            }
            trace.end(nil, ["till.app": name.scope.app, "till.environment": name.scope.environment.wireName])
            return report
        } catch {
            trace.end(failure: error.logText)
            throw error
        }
    }

    private func moving(_ name: ClockName, to target: Timestamp, thenAt speed: Double) async throws -> AdvanceReport {
        let start = ContinuousClock.now
        var record = clocks.record(name)
        try await forgetSkippedTime(of: &record)
        let from = try await clocks.stopping(name) { from in
            if target < from { throw goingBack(name, from: from, to: target) }
            record.freeze(at: from, from: from)
            record.pendingAdvance = Clocks.Advance(to: target, speed: speed)
            try await clocks.put(record)
            return from
        }
        let log = AdvanceLog(from: from, to: target)
        clocks.advances.begin(name, log)
        defer { clocks.advances.end(name) }
        try await processEvents(on: name, to: target, log)
        record = clocks.record(name)
        record.freeze(at: target, from: now(on: name))
        if speed > 0 { record.state = .running(from: target, since: wallClock(), speed: speed) }
        record.pendingAdvance = nil
        try await clocks.put(record)
        signals.moved(name)
        let report = log.report
        self.log(report, on: name, ContinuousClock.now - start)
        return report
    }

    private func log(_ report: AdvanceReport, on name: ClockName, _ duration: Duration) {
        let audit = PendingAudit.current?.record
        var metadata: Logger.Metadata = [
            "app": "\(name.scope.app)", "environment": "\(name.scope.environment.wireName)",
            "from": "\(report.from.iso8601)", "to": "\(report.to.iso8601)",
            "accounts": .stringConvertible(report.accounts),
            "notifications": .stringConvertible(report.notifications.reduce(0) { $0 + $1.count }),
            "milliseconds": .stringConvertible(Int(duration / .milliseconds(1))),
            // An advance that a crash interrupted is finished without a caller.
            "by": "\(audit?.caller ?? "the server")",
        ]
        if let own = name.own { metadata["clock"] = "\(own)" }
        if let audit { metadata["request"] = "\(audit.id)" }
        logger.notice("a clock was advanced", metadata: metadata)
    }

    /// Processes every event that is due until an instant, and runs each job when the clock shows the job's instant.
    private func processEvents(on name: ClockName, to target: Timestamp, _ log: AdvanceLog) async throws {
        while true {
            try checkStopping()
            let settlement = Settlement.current.flatMap { $0.isOver ? nil : $0 }
            let job = try await jobs.pending(on: name).first { $0.at <= target }
            var stop = job?.at ?? target
            if settlement != nil, let delivery = try await nextDelivery(on: name), delivery < stop {
                stop = max(delivery, now(on: name))
            }
            try await processAllDue(on: name, until: stop, log)
            if settlement != nil, let delivery = try await nextDelivery(on: name), delivery < stop {
                // An event that was just processed created a notification whose delivery is due before the stop.
                stop = max(delivery, now(on: name))
            }
            var record = clocks.record(name)
            let present = now(on: name)
            record.freeze(at: max(stop, present), from: present)
            try await clocks.put(record)
            if let settlement { try await settle(name, settlement) }
            if let job, job.at <= stop { try await jobRunner.run(job, on: name, log) }
            if job == nil, stop >= target { return }
        }
    }

    /// Waits until no delivery is due on a clock, or until the end of the settlement.
    private func settle(_ name: ClockName, _ settlement: Settlement) async throws {
        signals.moved(name)
        while !settlement.isOver {
            var due: [Delivery] = []
            for endpoint in activeTargets(of: name.scope) {
                due += try await storage.dueDeliveries(
                    to: endpoint.key,
                    on: name,
                    until: now(on: name),
                    limit: Self.maxSettledAtOnce
                ).deliveries.filter { !isHeldBack($0) }
            }
            guard !due.isEmpty else { return }
            settlement.add(due)
            await settlement.wait()
        }
    }

    private static let maxSettledAtOnce = 1_000

    /// The advance in progress on a clock; nil if there is none.
    package func advanceUnderWay(on name: ClockName) -> AdvanceProgress? { clocks.advances.progress(name) }
}
