import Logging
import Metrics
import ServiceLifecycle
import Synchronization
import TillCore
import TillStorage

/// Processes due events on running clocks, including events that became due while the server was down.
///
/// The ticker sleeps until the next event is due, but at most a tenth of a second. It wakes early when an earlier event
/// is scheduled. Reading requests process no events, so the lag (`till_clock_lag_seconds`) is the maximum age of an
/// answer.
package struct Ticker: Service {
    private let shop: Shop
    private let plan: Plan
    private let lag: Meter

    /// The maximum sleep in milliseconds. It is short, because the wall clock may be set during a sleep.
    private static let maxSleep: Int64 = 100
    /// The minimum sleep in milliseconds. It is needed on a clock that runs so fast that an event is always due.
    private static let shortestSleep: Int64 = 2
    /// The number of accounts that are read at once: those that are due now, and those that are due next.
    private static let page = 64

    /// Creates a ticker for a shop.
    ///
    /// - Parameter metrics: receives the ticker's lag.
    package init(_ shop: Shop, metrics: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.shop = shop
        let plan = Plan()
        self.plan = plan
        lag = Metric.clockLag.gauge(factory: metrics)
        lag.set(0)
        shop.signals.add(
            Signals.Listener(due: { [weak shop] clock, instant in
                plan.note(clock, instant)
                if let shop { plan.processDue(before: Self.realTime(of: instant, on: clock, shop)) }
            })
        )
    }

    /// The wall-clock time at which a clock shows an instant; nil for a frozen clock, and for an instant that the clock
    /// never shows.
    private static func realTime(of instant: Timestamp, on clock: ClockName, _ shop: Shop) -> Timestamp? {
        let state = shop.clocks.state(clock)
        guard state.moves, state.last.map({ instant <= $0 }) ?? true else { return nil }
        let realTime = shop.wallClock()
        var speed = 1.0
        if case .running(_, _, let factor) = state { speed = factor }
        // The wait is limited, because the instants that mean "at once" and "never" would overflow.
        let limit = 86_400_000.0
        let wait = (Double(instant.milliseconds) - Double(state.shown(realTime: realTime).milliseconds)) / speed
        return realTime.advanced(milliseconds: Int64(min(max(wait, -1_000 * limit), limit).rounded(.up)))
    }

    /// When the next event is due on each clock, as far as the ticker knows. An entry may be too early, but never too
    /// late.
    private final class Plan: Sendable {
        private struct Sleep {
            let end: Timestamp
            let task: Task<Void, Never>
        }

        private let known = Mutex<[ClockName: Timestamp]>([:])
        /// When the next job is due on each clock whose jobs are known.
        private let jobs = Mutex<[ClockName: Timestamp]>([:])
        private let served = Mutex<Set<ClockName>>([])
        private let overdue = Mutex<[ClockName: Timestamp]>([:])
        private let sleep = Mutex<Sleep?>(nil)
        let failures = ClockFailures()

        /// Begins to process a clock; false if the clock is already being processed.
        func begin(_ clock: ClockName, since instant: Timestamp) -> Bool {
            guard served.withLock({ $0.insert(clock).inserted }) else { return false }
            if instant.milliseconds > .min {
                process(clock, since: instant)
            } else {
                jobs.withLock { $0[clock] = nil }
            }
            return true
        }

        func end(_ clock: ClockName) {
            overdue.withLock { $0[clock] = nil }
            served.withLock { _ = $0.remove(clock) }
        }

        /// Records when the earliest event was due that is being processed on a clock.
        func process(_ clock: ClockName, since instant: Timestamp) { overdue.withLock { $0[clock] = instant } }

        /// For each clock, the due date of the earliest event that may be unprocessed, including events whose
        /// processing failed.
        var earliest: [ClockName: Timestamp] { next.merging(failures.due) { min($0, $1) } }

        /// For each clock, when there is something to do next. A clock whose events failed waits before it is tried
        /// again.
        var next: [ClockName: Timestamp] {
            let waiting = known.withLock { $0 }.filter { $0.value.milliseconds > .min }
            return overdue.withLock { $0 }.merging(waiting) { min($0, $1) }
        }

        /// When the earliest event was due that is being processed on a clock; nil if unknown.
        func processing(_ clock: ClockName) -> Timestamp? { overdue.withLock { $0[clock] } }

        /// Sleeps until a wall-clock time, unless an earlier event is scheduled.
        func sleep(until end: Timestamp, for duration: Duration) async {
            let task = Task { _ = try? await Task.sleep(for: duration) }
            sleep.withLock { $0 = Sleep(end: end, task: task) }
            await withTaskCancellationHandler {
                await task.value
            } onCancel: {
                task.cancel()
            }
            sleep.withLock { $0 = nil }
        }

        /// Ends the sleep if it lasts beyond a wall-clock time.
        func processDue(before instant: Timestamp?) {
            guard let instant else { return }
            sleep.withLock { sleep in if let sleep, instant < sleep.end { sleep.task.cancel() } }
        }

        func note(_ clock: ClockName, _ instant: Timestamp) {
            known.withLock { $0[clock] = min($0[clock] ?? instant, instant) }
        }

        /// When the next job is due on a clock. Code that stores a job, sets a clock or replaces all data reports this
        /// with the earliest possible instant (`Signals`), also on other nodes; then the jobs must be read.
        func nextJob(on clock: ClockName) -> Timestamp {
            jobs.withLock { $0[clock] ?? Timestamp(milliseconds: .min) }
        }

        func setNextJob(on clock: ClockName, _ instant: Timestamp) { jobs.withLock { $0[clock] = instant } }

        /// When the next event is due on a clock, as far as the ticker knows.
        func known(_ clock: ClockName) -> Timestamp? { known.withLock { $0[clock] } }

        /// Removes and returns the entries that may be due.
        func take(where isDue: (ClockName, Timestamp) -> Bool) -> [ClockName: Timestamp] {
            known.withLock { known in
                let due = known.filter { isDue($0.key, $0.value) }
                for clock in due.keys { known[clock] = nil }
                return due
            }
        }
    }

    /// Processes due events until the server stops.
    package func run() async throws {
        await cancelWhenGracefulShutdown {
            // Runs in a task of its own: finishing interrupted work may take long, and other clocks must not wait for
            // it.
            Task {
                await shop.snapshots.removeUnfinished()
                await shop.resumeLongWork()
            }
            for clock in shop.everyClock { plan.note(clock, Timestamp(milliseconds: .min)) }
            while !Task.isCancelled {
                await tick()
                await sleep()
            }
        }
    }

    private func sleep() async {
        let realTime = shop.wallClock()
        let next = plan.next.compactMap { Self.realTime(of: $0.value, on: $0.key, shop) }.min()
        let wait = next.map { $0.milliseconds - realTime.milliseconds } ?? Self.maxSleep
        let bounded = min(max(wait, Self.shortestSleep), Self.maxSleep)
        await plan.sleep(until: realTime.advanced(milliseconds: bounded), for: .milliseconds(bounded))
    }

    /// The clocks on which an event may be due that is not processed yet, and the present instant of each.
    var clocksBehind: [(name: ClockName, now: Timestamp)] {
        let realTime = shop.wallClock()
        return plan.earliest.compactMap { clock, due in
            let state = shop.clocks.state(clock)
            let now = state.shown(realTime: realTime)
            guard state.moves, due <= now else { return nil }
            return (name: clock, now: now)
        }
    }

    /// Measures the lag: the seconds of real time since the earliest unprocessed event was due.
    func measureLag() {
        let realTime = shop.wallClock()
        let due = plan.earliest.compactMap { Self.realTime(of: $0.value, on: $0.key, shop) }.min()
        lag.set(due.map { max(0, Double(realTime.milliseconds - $0.milliseconds) / 1_000) } ?? 0)
    }

    /// Starts to process the clocks that may have due events.
    package func tick() async {
        measureLag()
        let realTime = shop.wallClock()
        let due = plan.take { clock, instant in
            let state = shop.clocks.state(clock)
            return state.moves && instant <= state.shown(realTime: realTime)
        }
        for (clock, instant) in due where shop.advanceUnderWay(on: clock) == nil {
            // A clock that is still being processed is checked again later, so that it does not delay other clocks.
            guard plan.begin(clock, since: instant) else {
                plan.note(clock, Timestamp(milliseconds: .min))
                continue
            }
            Task { await serve(clock) }
        }
    }

    private func serve(_ clock: ClockName) async {
        do {
            // Under the shared lock, no restore can run between reading the clock and writing the result.
            let isComplete = try await shop.gate.shared { try await shop.asOfNow { try await pass(clock) } }
            if isComplete { plan.failures.remove(clock) }
        } catch {
            let now = shop.now(on: clock)
            // It is not an error that a stop of the server interrupts the work.
            if !shop.locks.isStopping.value { note(error, on: clock, due: plan.processing(clock) ?? now) }
            plan.note(clock, now.advanced(milliseconds: 1_000))
        }
        plan.end(clock)
        if let next = plan.known(clock) { plan.processDue(before: Self.realTime(of: next, on: clock, shop)) }
    }

    /// Remembers for the metrics that events failed which were due at an instant. Logs the first failure, and a
    /// repeated failure once a minute.
    private func note(_ error: any Error, on clock: ClockName, due: Timestamp) {
        guard let count = plan.failures.add(clock, due: due, at: shop.wallClock()) else { return }
        shop.logger.error(
            "events of a clock could not be processed",
            metadata: [
                "app": "\(clock.scope.app)", "environment": "\(clock.scope.environment.wireName)",
                "count": .stringConvertible(count), "cause": "\(error.logText)",
            ]
        )
    }

    /// Processes what is due on a clock, and notes when the next event is due. Commits during the pass report the due
    /// dates that they change (`Signals.committed`), so nothing is read again afterwards.
    ///
    /// - Returns: whether everything was processed; false if the pass ended early for a task that waits for the lock.
    private func pass(_ clock: ClockName) async throws -> Bool {
        let now = shop.now(on: clock)
        var next: Timestamp?
        var isWhole: Bool
        repeat {
            isWhole = true
            var accounts: [DueAccount] = []
            let limit = Self.page + shop.quarantine.all.count
            for part in shop.partsHere {
                let page = try await shop.storage.dueAccounts(on: clock, until: .never, in: part, limit: limit)
                if page.count == limit, page[limit - 1].due <= now { isWhole = false }
                accounts += page
            }
            accounts.sort { ($0.due, $0.id) < ($1.due, $1.id) }
            let due = accounts.prefix { $0.due <= now }
            next = accounts.dropFirst(due.count).first { !shop.quarantine.contains($0.id) }?.due
            if let first = due.first(where: { !shop.quarantine.contains($0.id) }) {
                plan.process(clock, since: first.due)
            }
            try await shop.processDue(Array(due), on: clock, until: now, nil, givingWay: true)
            guard shop.gate.waitingToBeAlone == 0 else {
                plan.note(clock, Timestamp(milliseconds: .min))
                return false
            }
        } while !isWhole
        if let next { plan.note(clock, next) }
        if shop.doesJobs(of: clock.scope) {
            if plan.nextJob(on: clock) <= now { try await runJobs(on: clock, until: now) }
            plan.note(clock, plan.nextJob(on: clock))
        }
        // When the quarantine of an account ends, its events are processed again.
        if !shop.quarantine.all.isEmpty {
            plan.note(clock, now.advanced(milliseconds: Int64(Quarantine.pause / .milliseconds(1))))
        }
        return true
    }

    /// Runs the due jobs of a clock. A job that cannot be read or fails does not stop the others.
    ///
    /// - Throws: the first error, after the other jobs have run. Every job is then read again at the next attempt.
    private func runJobs(on clock: ClockName, until now: Timestamp) async throws {
        let (jobs, unreadable) = try await shop.jobs.readable(on: clock)
        var failure = unreadable
        for job in jobs where job.at <= now {
            do {
                try await shop.jobRunner.run(job, on: clock)
            } catch {
                try shop.checkStopping()
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        let remaining = try await shop.jobs.readable(on: clock)
        if let failure = remaining.failure { throw failure }
        plan.setNextJob(on: clock, remaining.jobs.first?.at ?? .never)
    }
}
