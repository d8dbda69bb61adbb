import Logging
import ServiceLifecycle
import Synchronization
import TillCore
import TillStorage

/// Lets happen what falls due on clocks that move by themselves, within a second of its time, also what fell due while
/// nobody was there.
package struct Ticker: Service {
    private let shop: Shop
    private let plan: Plan

    /// A ticker over a shop.
    package init(_ shop: Shop) {
        self.shop = shop
        let plan = Plan()
        self.plan = plan
        shop.signals.add(Signals.Listener(due: { clock, instant in plan.note(clock, instant) }))
    }

    /// When something falls due on each clock, as far as is known; earlier than the truth at the worst.
    private final class Plan: Sendable {
        private let known = Mutex<[ClockName: Timestamp]>([:])
        private let served = Mutex<Set<ClockName>>([])

        /// False while the clock is being served.
        func begin(_ clock: ClockName) -> Bool { served.withLock { $0.insert(clock).inserted } }
        func end(_ clock: ClockName) { served.withLock { _ = $0.remove(clock) } }

        func note(_ clock: ClockName, _ instant: Timestamp) {
            known.withLock { $0[clock] = min($0[clock] ?? instant, instant) }
        }

        /// Takes out what may have fallen due.
        func take(where isDue: (ClockName, Timestamp) -> Bool) -> [ClockName] {
            known.withLock { known in
                let due = known.filter { isDue($0.key, $0.value) }.map(\.key)
                for clock in due { known[clock] = nil }
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
            // What a crash cut short may take long; other clocks do not wait for it.
            Task {
                await shop.forgetUnfinishedCopies()
                await shop.resumeLongWork()
            }
            for clock in shop.everyClock { plan.note(clock, Timestamp(milliseconds: .min)) }
            while !Task.isCancelled {
                await tick()
                try? await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    /// One round: the clocks on which something may have fallen due are looked at.
    package func tick() async {
        let wall = shop.wallClock()
        let due = plan.take { clock, instant in
            let state = shop.clocks.state(clock)
            return state.moves && instant <= state.now(wall: wall)
        }
        for clock in due where shop.leapUnderWay(on: clock) == nil {
            // A clock that cannot keep up holds up no other.
            guard plan.begin(clock) else {
                plan.note(clock, Timestamp(milliseconds: .min))
                continue
            }
            Task { await serve(clock) }
        }
    }

    private func serve(_ clock: ClockName) async {
        do {
            // No restore comes between what the clock shows and what is done because of it.
            try await shop.besideOthers { try await shop.asOfNow { try await pass(clock) } }
        } catch {
            // A planned stop cuts short what is being done.
            if !shop.isStopping.value {
                shop.logger.error(
                    "a clock was not served",
                    metadata: ["app": "\(clock.scope.app)", "cause": "\(error.logText)"]
                )
            }
            plan.note(clock, shop.now(on: clock).advanced(milliseconds: 1_000))
        }
        plan.end(clock)
    }

    private func pass(_ clock: ClockName) async throws {
        let now = shop.now(on: clock)
        try await shop.wakeAll(on: clock, until: now, LeapLog(from: now, to: now), onlyHere: true, givingWay: true)
        guard shop.gate.waitingToBeAlone == 0 else { return plan.note(clock, Timestamp(milliseconds: .min)) }
        if clock.own == nil, shop.doesJobs(of: clock.scope) {
            for job in try await shop.unfinishedJobs(in: clock.scope, until: now) { try await shop.run(job) }
            if let next = try await shop.jobs(in: clock.scope).first(where: { $0.state != .done }) {
                plan.note(clock, next.at)
            }
        }
        let aside = shop.setAside.all
        if aside.isEmpty {
            if let next = try await shop.nextDueHere(on: clock).account { plan.note(clock, next) }
        } else {
            let next = try await shop.dueAccountsHere(
                on: clock,
                until: Timestamp(milliseconds: .max),
                limit: aside.count + 1
            )
            if let next = next.first(where: { aside[$0.id] == nil }) { plan.note(clock, next.due) }
            // Those who were set aside are tried again.
            let pause = Int64(SetAside.pause / .milliseconds(1))
            plan.note(clock, now.advanced(milliseconds: pause))
        }
    }
}
