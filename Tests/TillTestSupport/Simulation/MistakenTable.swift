import TillCore

/// The transition table with one deliberate mistake, to show that the simulation's checks find the mistake.
package struct MistakenTable: Sendable {
    /// A kind of mistake in a line of the table.
    package enum Mistake: String, CaseIterable, Sendable {
        /// Nothing happens: the state does not change, and no notification is sent.
        case removed
        /// The notification is sent, but the next state is wrong.
        case redirected
    }

    private let line: TransitionLine
    private let mistake: Mistake

    /// The lines that this mistake changes. A line that sends no notification cannot lose one.
    package static func lines(for mistake: Mistake) -> [TransitionLine] {
        let matrix = TransitionMatrix()
        return matrix.handled.filter { mistake == .redirected || !matrix.cell($0).hasSuffix("silent") }
    }

    /// Creates the table with a mistake in one line.
    package init(_ mistake: Mistake, in line: TransitionLine) {
        self.line = line
        self.mistake = mistake
    }

    /// The transition rule with the mistake.
    package var rule: Transitions.Rule {
        { state, cause, now throws(Objection) in
            let steps = try Transitions.steps(from: state, cause, at: now)
            guard line == TransitionLine(StateKind(state), CauseKind(cause)), let last = steps.last else {
                return steps
            }
            switch mistake {
            case .removed: return [Transitions.Step(state ?? last.state)]
            case .redirected: return steps.map { Transitions.Step(Self.other(than: $0.state, at: now), $0.event) }
            }
        }
    }

    /// A wrong state for the same transaction, as far as such a state can exist.
    private static func other(than state: SubscriptionState, at now: Timestamp) -> SubscriptionState {
        let latest = state.latest
        return switch state {
        case .active: .expired(latest, .other, at: now)
        case .gracePeriod(_, let until, _): .billingRetry(latest, until: until, graceEnded: nil)
        case .billingRetry(_, let until, _): .gracePeriod(latest, until: until, retryUntil: until)
        case .expired: .billingRetry(latest, until: now.advanced(milliseconds: 86_400_000), graceEnded: nil)
        case .revoked: .active(latest, previous: state.previous)
        }
    }

    /// Runs the workloads of the first `seeds` seeds until one of them fails or has a transition that is not in the
    /// table. If none does, looks for a transition that no workload reached.
    ///
    /// - Returns: The number of workloads that were run and the finding; nil if nothing was found.
    package func discovery(within seeds: UInt64) async -> (workloads: UInt64, finding: String)? {
        var count = TransitionCount()
        for seed in 1...seeds {
            let workload = WorkloadGenerator.workload(of: seed)
            let system = CoreUnderTest(for: workload, passing: .familyByFamily(steps: 20_000, parts: 1), rule: rule)
            var run = SimulationRun(of: workload, in: system, isWatched: true)
            await run.run(at: .days)
            if let failure = run.failure {
                let first = failure.split(separator: "\n").first.map(String.init) ?? failure
                return (seed, first)
            }
            count.add(run.count)
            if let unexpected = count.strange.first { return (seed, "not in the table: \(unexpected.key)") }
        }
        return count.rare(below: 1).first.map { (seeds, "never reached: \($0.rawValue)") }
    }
}
