import Logging
import Metrics
import ServiceLifecycle
import Synchronization
import TillCore
import TillStorage

/// Processes what is due on running clocks, including what became due while the server was down.
///
/// It sleeps until the next event is due, at most a tenth of a second, and wakes early when an earlier event is
/// scheduled. Reads process nothing, so the lag is how old an answer may be: `till_clock_lag_seconds`.
package struct Ticker: Service {
    private let shop: Shop
    private let plan: Plan
    private let lag: Meter

    /// The longest sleep in milliseconds; the wall clock may be set during it.
    private static let maxSleep: Int64 = 100
    /// The shortest sleep in milliseconds: a clock may run so fast that there is always a due event.
    private static let shortestSleep: Int64 = 2

    /// A ticker for a shop.
    ///
    /// - Parameter metrics: receives its lag.
    package init(_ shop: Shop, metrics: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.shop = shop
        let plan = Plan()
        self.plan = plan
        lag = Meter(label: "till_clock_lag_seconds", factory: metrics)
        lag.set(0)
        shop.signals.add(
            Signals.Listener(due: { [weak shop] clock, instant in
                plan.note(clock, instant)
                if let shop { plan.processDue(before: Self.realTime(of: instant, on: clock, shop)) }
            })
        )
    }

    /// The wall-clock time at which a clock shows an instant; nil for a frozen clock, and for an instant that it never
    /// shows.
    private static func realTime(of instant: Timestamp, on clock: ClockName, _ shop: Shop) -> Timestamp? {
        let state = shop.clocks.state(clock)
        guard state.moves, state.last.map({ instant <= $0 }) ?? true else { return nil }
        let realTime = shop.wallClock()
        var speed = 1.0
        if case .running(_, _, let factor) = state { speed = factor }
        // The instants that mean "at once" and "never" would overflow.
        let limit = 86_400_000.0
        let wait = (Double(instant.milliseconds) - Double(state.shown(realTime: realTime).milliseconds)) / speed
        return realTime.advanced(milliseconds: Int64(min(max(wait, -1_000 * limit), limit).rounded(.up)))
    }

    /// When the next event is due on each clock, as far as is known; at worst earlier than the real time.
    private final class Plan: Sendable {
        private struct Sleep {
            let end: Timestamp
            let task: Task<Void, Never>
        }

        private let known = Mutex<[ClockName: Timestamp]>([:])
        private let served = Mutex<Set<ClockName>>([])
        private let overdue = Mutex<[ClockName: Timestamp]>([:])
        private let sleep = Mutex<Sleep?>(nil)

        /// False while the clock is already being processed.
        func begin(_ clock: ClockName, since instant: Timestamp) -> Bool {
            guard served.withLock({ $0.insert(clock).inserted }) else { return false }
            if instant.milliseconds > .min { process(clock, since: instant) }
            return true
        }

        func end(_ clock: ClockName) {
            overdue.withLock { $0[clock] = nil }
            served.withLock { _ = $0.remove(clock) }
        }

        /// Records the earliest event being processed on a clock.
        func process(_ clock: ClockName, since instant: Timestamp) { overdue.withLock { $0[clock] = instant } }

        /// For each clock, the earliest event that may not have been processed.
        var earliest: [ClockName: Timestamp] {
            let waiting = known.withLock { $0 }.filter { $0.value.milliseconds > .min }
            return overdue.withLock { $0 }.merging(waiting) { min($0, $1) }
        }

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

        /// When the next event is due on a clock, as far as is known.
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

    /// Ticks until the server stops.
    package func run() async throws {
        let shop = shop
        await withGracefulShutdownHandler {
            await work()
        } onGracefulShutdown: {
            shop.stopLongWork()
        }
    }

    private func work() async {
        await cancelWhenGracefulShutdown {
            // Finishing interrupted work may take long; other clocks do not wait for it.
            Task {
                await shop.forgetUnfinishedCopies()
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
        let next = plan.earliest.compactMap { Self.realTime(of: $0.value, on: $0.key, shop) }.min()
        let wait = next.map { $0.milliseconds - realTime.milliseconds } ?? Self.maxSleep
        let bounded = min(max(wait, Self.shortestSleep), Self.maxSleep)
        await plan.sleep(until: realTime.advanced(milliseconds: bounded), for: .milliseconds(bounded))
    }

    /// How many seconds of real time ago the earliest unprocessed event was due.
    private func measureLag() {
        let realTime = shop.wallClock()
        let due = plan.earliest.compactMap { Self.realTime(of: $0.value, on: $0.key, shop) }.min()
        lag.set(due.map { max(0, Double(realTime.milliseconds - $0.milliseconds) / 1_000) } ?? 0)
    }

    /// One round: processes the clocks that may have due events.
    package func tick() async {
        measureLag()
        let realTime = shop.wallClock()
        let due = plan.take { clock, instant in
            let state = shop.clocks.state(clock)
            return state.moves && instant <= state.shown(realTime: realTime)
        }
        for (clock, instant) in due where shop.advanceUnderWay(on: clock) == nil {
            // A clock that cannot keep up delays no other clock.
            guard plan.begin(clock, since: instant) else {
                plan.note(clock, Timestamp(milliseconds: .min))
                continue
            }
            Task { await serve(clock) }
        }
    }

    private func serve(_ clock: ClockName) async {
        do {
            // The shared lock keeps a restore from running between reading the clock and writing the result.
            try await shop.besideOthers { try await shop.asOfNow { try await pass(clock) } }
        } catch {
            // A planned stop interrupts the work; that is not an error.
            if !shop.isStopping.value {
                shop.logger.error(
                    "events of a clock could not be processed",
                    metadata: ["app": "\(clock.scope.app)", "cause": "\(error.logText)"]
                )
            }
            plan.note(clock, shop.now(on: clock).advanced(milliseconds: 1_000))
        }
        plan.end(clock)
        if let next = plan.known(clock) { plan.processDue(before: Self.realTime(of: next, on: clock, shop)) }
    }

    private func pass(_ clock: ClockName) async throws {
        let now = shop.now(on: clock)
        if let due = try await nextDue(on: clock), due <= now { plan.process(clock, since: due) }
        try await shop.processAllDue(
            on: clock,
            until: now,
            AdvanceLog(from: now, to: now),
            onlyHere: true,
            givingWay: true
        )
        guard shop.gate.waitingToBeAlone == 0 else { return plan.note(clock, Timestamp(milliseconds: .min)) }
        if shop.doesJobs(of: clock.scope) {
            for job in try await shop.pendingJobs(on: clock) where job.at <= now {
                try await shop.run(job, on: clock)
            }
            if let next = try await shop.pendingJobs(on: clock).first { plan.note(clock, next.at) }
        }
        if let next = try await nextDue(on: clock) { plan.note(clock, next) }
        // Quarantined accounts are tried again.
        if !shop.quarantine.all.isEmpty {
            plan.note(clock, now.advanced(milliseconds: Int64(Quarantine.pause / .milliseconds(1))))
        }
    }

    /// When the next event is due on a clock, ignoring quarantined accounts.
    private func nextDue(on clock: ClockName) async throws -> Timestamp? {
        let aside = shop.quarantine.all
        guard !aside.isEmpty else { return try await shop.nextDueHere(on: clock).account }
        let limit = aside.count + 1
        let due = try await shop.dueAccountsHere(on: clock, until: Timestamp(milliseconds: .max), limit: limit)
        return due.first { aside[$0.id] == nil }?.due
    }
}
