import Foundation
import Logging
import TillCore
import TillStorage

/// How to set a clock.
package enum ClockChange: Equatable, Sendable {
    /// Freezes the clock at the time that it shows, or at a later instant.
    case freeze(at: Timestamp?)
    /// Runs the clock at a multiple of real time.
    case run(speed: Double)
    /// Makes the clock show real time. A clock that is ahead of real time refuses this.
    case real
}

/// How far to advance a clock.
package enum AdvanceTarget: Equatable, Sendable {
    case to(Timestamp)
    case by(milliseconds: Int64)
    case byPeriod(Period)
    /// Advances to the next event: a deadline of an account, a job, or a scheduled delivery.
    case toNextEvent
}

/// The result of an advance.
package struct AdvanceReport: Equatable, Sendable {
    /// What the clock showed before the advance.
    package let from: Timestamp
    /// What the clock shows after the advance.
    package let to: Timestamp
    /// The number of accounts in which events were processed.
    package let accounts: Int
    /// The number of notifications for each type and subtype, sorted by name.
    package let notifications: [Count]
    /// The customers whose accounts are quarantined, because their events could not be processed.
    package let quarantine: [String]

    /// The number of notifications of one type and subtype.
    package struct Count: Equatable, Sendable {
        /// The type and subtype.
        package let notice: Notice
        /// The number of these notifications.
        package let count: Int
    }
}

/// An advance in progress.
package struct AdvanceProgress: Equatable, Sendable {
    /// What the clock showed at the start.
    package var from: Timestamp
    /// What the clock will show at the end.
    package var to: Timestamp
    /// The number of accounts in which events were processed so far.
    package var accounts: Int
    /// The number of notifications created so far.
    package var notifications: Int
}

/// Sets and advances clocks, and processes every event that is due on the way.
extension Shop {
    /// The state of a clock; nil for a customer clock that does not exist.
    package func clock(_ name: ClockName) -> ClockState? {
        clocks.exists(name) ? clocks.state(name) : nil
    }

    /// Creates a customer clock.
    package func createClock(_ name: ClockName, _ state: ClockState) async throws {
        try checkMayMove(name)
        try await exclusively(name.lockKey) {
            guard name.own != nil, !clocks.exists(name) else {
                throw ClockRefused(
                    code: "clock_exists",
                    message: "A clock \(name.key) already exists. Put customers on it, or choose another name."
                )
            }
            var record = clocks.record(name)
            record.state = state
            let shown = state.shown(realTime: wallClock())
            if state != .real { try ClockState.requireBeforeEnd(shown) }
            record.began = shown
            try await clocks.put(record)
            // Scheduled jobs take effect on the new clock, too.
            signals.moved(name)
        }
    }

    /// Removes a customer clock to which no customer was assigned.
    package func removeClock(_ name: ClockName) async throws {
        try await exclusively(name.lockKey) { try await clocks.remove(name) }
    }

    /// Sets a clock. A clock never goes back, because purchases with later dates may already exist.
    package func setClock(_ name: ClockName, _ change: ClockChange) async throws -> ClockState {
        if change != .real { try checkMayMove(name) }
        if case .freeze(let instant?) = change, instant > now(on: name) {
            try ClockState.requireBeforeEnd(instant)
            // Freezing a clock at a later instant is an advance: it processes every event that is due until that
            // instant.
            _ = try await pendingAdvance(on: name, to: instant, thenAt: 0)
            return clocks.state(name)
        }
        return try await exclusively(name.lockKey) {
            var record = clocks.record(name)
            if case .freeze = change { try await forgetSkippedTime(of: &record) }
            try await clocks.stopping(name, realTime: wallClock) { present in
                try set(&record, change, from: present)
                try await clocks.put(record)
            }
            signals.moved(name)
            return record.state
        }
    }

    /// Changes the state of a clock, starting from the time that the clock shows.
    private func set(_ record: inout Clocks.Record, _ change: ClockChange, from present: Timestamp) throws {
        switch change {
        case .freeze(let instant):
            if let instant, instant < present { throw goingBack(record.name, from: present, to: instant) }
            record.freeze(at: instant ?? present, from: present)
        case .run(let speed):
            record.state = try .started(from: present, since: wallClock(), speed: speed)
        case .real:
            let realTime = wallClock()
            if present > realTime { throw goingBack(record.name, from: present, to: realTime) }
            record.state = .real
        }
    }

    private func goingBack(_ name: ClockName, from present: Timestamp, to instant: Timestamp) -> ClockRefused {
        ClockRefused(
            code: "clock_goes_forward",
            message: "The clock shows \(present.iso8601) and cannot go back to \(instant.iso8601). "
                + "Create a customer clock and put customers on it instead."
        )
    }

    /// Advances a clock, and returns once every resulting change is committed.
    ///
    /// In a `Settlement`, the clock stops at each instant at which a delivery is due, and waits for the deliveries that
    /// are due. After the end of the settlement, the advance continues without waiting.
    package func advance(_ name: ClockName, _ target: AdvanceTarget) async throws -> AdvanceReport {
        guard clocks.exists(name) else {
            throw ClockRefused(code: "unknown_clock", message: "There is no clock \(name.key); create it first.")
        }
        try checkMayMove(name)
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
        let due = try await storage.nextDue(on: name)
        let job = try await pendingJobs(on: name).first?.at
        let delivery = try await nextDelivery(on: name).flatMap { $0 > present ? $0 : nil }
        guard let next = [due, delivery, job].compactMap({ $0 }).min() else {
            throw ClockRefused(
                code: "nothing_to_come",
                message: "No event is pending on this clock. Give an instant or a duration instead."
            )
        }
        return max(next, present)
    }

    // MARK: The advance

    func pendingAdvance(on name: ClockName, to target: Timestamp, thenAt speed: Double) async throws -> AdvanceReport {
        try await exclusively(name.lockKey) { try await advancing(on: name, to: target, thenAt: speed) }
    }

    /// Performs an advance. The caller must hold the lock of the clock.
    private func advancing(on name: ClockName, to target: Timestamp, thenAt speed: Double) async throws -> AdvanceReport
    {
        var record = clocks.record(name)
        try await forgetSkippedTime(of: &record)
        let from = try await clocks.stopping(name, realTime: wallClock) { from in
            if target < from { throw goingBack(name, from: from, to: target) }
            record.freeze(at: from, from: from)
            record.pendingAdvance = Clocks.Advance(to: target, speed: speed)
            try await clocks.put(record)
            return from
        }
        let log = AdvanceLog(from: from, to: target)
        runningAdvances.begin(name, log)
        defer { runningAdvances.end(name) }
        try await processEvents(on: name, to: target, log)
        record = clocks.record(name)
        record.freeze(at: target, from: now(on: name))
        if speed > 0 { record.state = .running(from: target, since: wallClock(), speed: speed) }
        record.pendingAdvance = nil
        try await clocks.put(record)
        signals.moved(name)
        return log.report
    }

    /// Removes the skipped spans in which no pending delivery is due any more, to keep the record small.
    private func forgetSkippedTime(of record: inout Clocks.Record) async throws {
        guard record.skipped != nil else { return }
        let earliest = try await earliestDelivery(on: record.name)
        record.skipped?.forget(before: earliest)
    }

    private func isFree(_ name: ClockName) async throws -> Bool {
        guard let cluster else { return true }
        return try await !cluster.storage.leases().contains { $0.name == name.lockKey }
    }

    /// Finishes advances and jobs that a crash interrupted, or that were in progress when a restored snapshot was
    /// taken.
    func resumeLongWork() async {
        for record in clocks.all {
            guard let pendingAdvance = record.pendingAdvance else { continue }
            do {
                // If a caller or another node holds the lock of this clock, it finishes the advance itself.
                guard advanceUnderWay(on: record.name) == nil, try await isFree(record.name) else { continue }
                try await exclusively(record.name.lockKey) {
                    // Meanwhile, a restore may have removed the advance, or another node may have finished it.
                    guard clocks.record(record.name).pendingAdvance == pendingAdvance else { return }
                    logger.notice(
                        "resuming an interrupted advance",
                        metadata: ["app": "\(record.app)", "to": "\(pendingAdvance.to.iso8601)"]
                    )
                    _ = try await advancing(
                        on: record.name,
                        to: pendingAdvance.to,
                        thenAt: pendingAdvance.speed
                    )
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
                for job in try await pendingJobs(on: clock) where job.at <= now(on: clock) {
                    try await run(job, on: clock)
                }
            } catch {
                logger.error(
                    "a job could not be finished",
                    metadata: ["app": "\(clock.scope.app)", "cause": "\(error.logText)"]
                )
            }
        }
    }

    /// Processes every event that is due until an instant, and runs each job when the clock shows the job's instant.
    private func processEvents(on name: ClockName, to target: Timestamp, _ log: AdvanceLog) async throws {
        while true {
            try checkStopping()
            let settlement = Settlement.current.flatMap { $0.isOver ? nil : $0 }
            let job = try await pendingJobs(on: name).first { $0.at <= target }
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
            if let job, job.at <= stop { try await run(job, on: name, log) }
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
                ).deliveries
            }
            guard !due.isEmpty else { return }
            settlement.add(due)
            await settlement.wait()
        }
    }

    private static let maxSettledAtOnce = 1_000

    /// Processes all events of accounts on a clock that are due until an instant. An account that fails is quarantined;
    /// the other accounts are still processed. A temporary error is not the account's fault: it ends the work if it
    /// does not pass, so that no account is skipped.
    ///
    /// - Parameters:
    ///   - onlyHere: whether to process only the partitions of this node.
    ///   - givingWay: whether to end early when a caller waits for the exclusive lock.
    func processAllDue(
        on name: ClockName,
        until instant: Timestamp,
        _ log: AdvanceLog,
        onlyHere: Bool = false,
        givingWay: Bool = false
    ) async throws {
        while !(givingWay && gate.waitingToBeAlone > 0) {
            try checkStopping()
            // Throws when a reset, restore or import has replaced all data, because this work must then end.
            _ = try cluster?.preconditionNow()
            let limit = 256 + quarantine.all.count
            let found =
                onlyHere
                ? try await dueAccountsHere(on: name, until: instant, limit: limit)
                : try await storage.dueAccounts(on: name, until: instant, limit: limit)
            let due = found.filter { !quarantine.contains($0.id) }
            if due.count < found.count {
                let tried = Set(due.map(\.id))
                for account in found where !tried.contains(account.id) { log.quarantine(account) }
            }
            guard !due.isEmpty else { return }
            try await withThrowingTaskGroup(of: Void.self) { group in
                var rest = due[...]
                func next() {
                    guard !(givingWay && gate.waitingToBeAlone > 0), let account = rest.popFirst() else { return }
                    group.addTask { try await self.processDue(account, in: name.scope, until: instant, log, givingWay) }
                }
                for _ in 0..<Self.maxAtOnce { next() }
                while try await group.next() != nil { next() }
            }
        }
    }

    private static let maxAtOnce = 32

    private func processDue(
        _ due: DueAccount,
        in scope: AccountScope,
        until instant: Timestamp,
        _ log: AdvanceLog,
        _ givingWay: Bool
    ) async throws {
        do {
            let customer = CustomerName(scope, due.customer)
            try await retrying {
                try await processDue(customer, until: instant, givingWay: givingWay) { log.add($0, in: due.id) }
            }
            quarantine.remove(due.id)
        } catch is GaveWay {
            return
        } catch let preconditionFailed as PreconditionFailed {
            throw preconditionFailed
        } catch {
            // When the server stops or all data is replaced, every account is interrupted. That is no reason to
            // quarantine an account.
            guard !isStopping.value else { return }
            _ = try cluster?.preconditionNow()
            guard !Self.isTemporary(error) else { throw error }
            quarantine.add(due.id, because: error.logText)
            log.quarantine(due)
            logger.error(
                "an account was quarantined",
                metadata: ["account": "\(due.id.number)", "cause": "\(error.logText)"]
            )
        }
    }

    /// Repeats an operation that fails with a temporary error, with growing pauses.
    private func retrying<Value>(_ body: () async throws -> Value) async throws -> Value {
        for pause in Self.retryPauses {
            do {
                return try await body()
            } catch  where Self.isTemporary(error) {
                logger.warning("an account is processed again", metadata: ["cause": "\(error.logText)"])
                try await Task.sleep(for: pause)
                try checkStopping()
                _ = try cluster?.preconditionNow()
            }
        }
        return try await body()
    }

    private static let retryPauses: [Duration] = [.milliseconds(50), .milliseconds(200), .seconds(1), .seconds(2)]

    /// Whether an error is not the account's fault. When one account ends the advance, the work on others is cancelled.
    private static func isTemporary(_ error: any Error) -> Bool {
        error is CancellationError || ((error as? ShopBusy)?.isTemporary ?? error.isTransient)
    }

    /// The advance in progress on a clock; nil if there is none.
    package func advanceUnderWay(on name: ClockName) -> AdvanceProgress? { runningAdvances.progress(name) }
}

extension ClockName {
    var lockKey: String { "clock/\(scope.environment.rawValue)/\(scope.app)#\(key)" }
}
