import Foundation
import Logging
import TillCore
import TillStorage

/// A change of a clock.
package enum ClockChange: Equatable, Sendable {
    /// Freezes it where it is, or at a later instant.
    case freeze(at: Timestamp?)
    /// Runs it at a multiple of real time.
    case run(speed: Double)
    /// Follows real time; only for a clock that is not ahead of it.
    case real
}

/// How far to advance a clock.
package enum AdvanceTarget: Equatable, Sendable {
    case to(Timestamp)
    case by(milliseconds: Int64)
    case byPeriod(Period)
    /// To the next event: a deadline, a job, or a due delivery.
    case toNextEvent
}

/// The result of an advance.
package struct AdvanceReport: Equatable, Sendable {
    /// What the clock showed before.
    package let from: Timestamp
    /// What the clock shows now.
    package let to: Timestamp
    /// Accounts in which something happened.
    package let accounts: Int
    /// The notifications, by type and subtype (`DID_RENEW`, `EXPIRED/VOLUNTARY`), sorted by these names.
    package let notifications: [Count]
    /// Customers whose accounts could not be brought up to date.
    package let quarantine: [String]
    /// Due deliveries that were still pending when this was written; nil without settling.
    package let pending: Int?

    /// How many notifications of one kind there were.
    package struct Count: Equatable, Sendable {
        /// `EXPIRED/VOLUNTARY` and the like.
        package let words: String
        /// How many there were.
        package let count: Int
    }
}

/// An advance in progress.
package struct AdvanceProgress: Equatable, Sendable {
    /// What the clock showed at the start.
    package var from: Timestamp
    /// What the clock will show at the end.
    package var to: Timestamp
    /// Accounts that were brought up to date so far.
    package var accounts: Int
    /// Notifications created so far.
    package var notifications: Int
}

/// Moves clocks, and processes every event due on the way.
extension Shop {
    /// The state of a clock: an environment's always, a customer clock's once it was created.
    package func clock(_ name: ClockName) -> ClockState? {
        clocks.exists(name) ? clocks.state(name) : nil
    }

    /// Creates a customer clock.
    package func createClock(_ name: ClockName, _ state: ClockState) async throws {
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
            // Scheduled jobs take effect on it, too.
            signals.moved(name)
        }
    }

    /// Sets a clock. It never goes back, because later purchases already exist.
    package func setClock(_ name: ClockName, _ change: ClockChange) async throws -> ClockState {
        if case .freeze(let instant?) = change, instant > now(on: name) {
            try ClockState.requireBeforeEnd(instant)
            // Setting a clock ahead processes everything that is due until then.
            _ = try await pendingAdvance(on: name, to: instant, thenAt: 0, settling: false)
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

    /// Changes the clock, starting from the time that it shows.
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
            message: "The clock shows \(present.iso8601) and cannot go back to \(instant.iso8601); "
                + "put customers on a new clock of their own instead."
        )
    }

    /// Advances a clock, and returns once every resulting change is committed.
    ///
    /// - Parameter settling: stops at each instant at which a delivery is due, and waits at the end, for at most a
    ///   minute of real time, until no due delivery is pending.
    package func advance(_ name: ClockName, _ target: AdvanceTarget, settling: Bool) async throws -> AdvanceReport {
        guard clocks.exists(name) else {
            throw ClockRefused(code: "unknown_clock", message: "There is no clock \(name.key); create it first.")
        }
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
        return try await pendingAdvance(on: name, to: instant, thenAt: speed, settling: settling)
    }

    private func nextEvent(on name: ClockName, after present: Timestamp) async throws -> Timestamp {
        let due = try await storage.nextDue(on: name)
        let job = try await pendingJobs(on: name).first?.at
        let delivery = due.delivery.flatMap { $0 > present ? $0 : nil }
        guard let next = [due.account, delivery, job].compactMap({ $0 }).min() else {
            throw ClockRefused(
                code: "nothing_to_come",
                message: "No event is pending on this clock. Give an instant or a duration instead."
            )
        }
        return max(next, present)
    }

    // MARK: The advance

    func pendingAdvance(on name: ClockName, to target: Timestamp, thenAt speed: Double, settling: Bool) async throws
        -> AdvanceReport
    {
        try await exclusively(name.lockKey) {
            try await advancing(on: name, to: target, thenAt: speed, settling: settling)
        }
    }

    /// The advance itself; requires the lock of the clock.
    private func advancing(on name: ClockName, to target: Timestamp, thenAt speed: Double, settling: Bool) async throws
        -> AdvanceReport
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
        let begun = wallClock()
        try await processEvents(on: name, to: target, log, settling: settling, begun: begun)
        record = clocks.record(name)
        record.freeze(at: target, from: now(on: name))
        if speed > 0 { record.state = .running(from: target, since: wallClock(), speed: speed) }
        record.pendingAdvance = nil
        try await clocks.put(record)
        signals.moved(name)
        var pending: Int?
        if settling {
            await settle(name, begun: begun)
            pending = try await storage.pendingDeliveries(on: name, until: now(on: name))
        }
        return log.report(pending: pending)
    }

    /// Removes spans in which no delivery is due any more, to keep the record small.
    private func forgetSkippedTime(of record: inout Clocks.Record) async throws {
        guard record.skipped != nil else { return }
        let earliest = try await storage.nextDue(on: record.name).delivery
        record.skipped?.forget(before: earliest)
    }

    private func isFree(_ name: ClockName) async throws -> Bool {
        guard let cluster else { return true }
        return try await !cluster.storage.leases().contains { $0.name == name.lockKey }
    }

    /// Finishes advances and jobs that were interrupted by a crash or were in progress in a restored snapshot.
    func resumeLongWork() async {
        for record in clocks.all {
            guard let pendingAdvance = record.pendingAdvance else { continue }
            do {
                // A caller or node that holds the lock of this clock finishes the advance.
                guard advanceUnderWay(on: record.name) == nil, try await isFree(record.name) else { continue }
                try await exclusively(record.name.lockKey) {
                    // A restore may have removed it meanwhile, or another node has finished it.
                    guard clocks.record(record.name).pendingAdvance == pendingAdvance else { return }
                    logger.notice(
                        "resuming an interrupted advance",
                        metadata: ["app": "\(record.app)", "to": "\(pendingAdvance.to.iso8601)"]
                    )
                    _ = try await advancing(
                        on: record.name,
                        to: pendingAdvance.to,
                        thenAt: pendingAdvance.speed,
                        settling: false
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

    /// Processes everything due until an instant, with jobs at their instants in between.
    private func processEvents(
        on name: ClockName,
        to target: Timestamp,
        _ log: AdvanceLog,
        settling: Bool,
        begun: Timestamp
    ) async throws {
        var settling = settling
        while true {
            try checkStopping()
            // An endpoint that does not answer within a minute does not hold up the clock.
            if wallClock().milliseconds - begun.milliseconds >= Self.settlingLimit { settling = false }
            let job = try await pendingJobs(on: name).first { $0.at <= target }
            var stop = job?.at ?? target
            if settling, let delivery = try await storage.nextDue(on: name).delivery, delivery < stop {
                stop = max(delivery, now(on: name))
            }
            try await processAllDue(on: name, until: stop, log)
            if settling, let delivery = try await storage.nextDue(on: name).delivery, delivery < stop {
                // A notification that was just created is due before the stop.
                stop = max(delivery, now(on: name))
            }
            var record = clocks.record(name)
            let present = now(on: name)
            record.freeze(at: max(stop, present), from: present)
            try await clocks.put(record)
            if settling { await settle(name, begun: begun) }
            if let job, job.at <= stop { try await run(job, on: name, log) }
            if job == nil, stop >= target { return }
        }
    }

    /// Waits until no delivery that is due on a clock is pending.
    private func settle(_ name: ClockName, begun: Timestamp) async {
        signals.moved(name)
        while wallClock().milliseconds - begun.milliseconds < Self.settlingLimit {
            guard let pending = try? await storage.pendingDeliveries(on: name, until: now(on: name)), pending > 0 else { return }
            guard !isStopping.value, (try? await Task.sleep(for: .milliseconds(5))) != nil else { return }
        }
    }

    private static let settlingLimit: Int64 = 60_000

    /// Brings every account on a clock up to an instant. An account that fails is quarantined and does not stop the
    /// others.
    ///
    /// - Parameters:
    ///   - onlyHere: skips the partitions of other nodes.
    ///   - givingWay: ends early when a caller waits for the exclusive lock.
    func processAllDue(
        on name: ClockName,
        until instant: Timestamp,
        _ log: AdvanceLog,
        onlyHere: Bool = false,
        givingWay: Bool = false
    ) async throws {
        while !(givingWay && gate.waitingToBeAlone > 0) {
            try checkStopping()
            // Long work ends after everything was replaced.
            _ = try writePrecondition()
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
            let notifications = try await processDue(
                CustomerName(scope, due.customer),
                until: instant,
                givingWay: givingWay
            )
            log.add(notifications, in: due.id)
            quarantine.remove(due.id)
        } catch is GaveWay {
            return
        } catch let preconditionFailed as PreconditionFailed {
            throw preconditionFailed
        } catch {
            // When the server stops or the state is replaced, every account is interrupted; that is not an error of the
            // account.
            guard !isStopping.value else { return }
            _ = try writePrecondition()
            quarantine.add(due.id, because: error.logText)
            log.quarantine(due)
            logger.error(
                "an account was quarantined",
                metadata: ["account": "\(due.id.number)", "cause": "\(error.logText)"]
            )
        }
    }

    /// The advance in progress on a clock; nil if there is none.
    package func advanceUnderWay(on name: ClockName) -> AdvanceProgress? { runningAdvances.progress(name) }
}

extension ClockName {
    var lockKey: String { "clock/\(scope.environment.rawValue)/\(scope.app)#\(key)" }
}
