import TillCore

/// The transition table with one mistake, to show that the laws find it.
package struct MistakenTable: Sendable {
    /// The mistake in a line.
    package enum Mistake: String, CaseIterable, Sendable {
        /// Nothing happens: the state stays, and no notification is sent.
        case removed
        /// The notification is sent, and a wrong state follows.
        case redirected
    }

    private let line: TransitionLine
    private let mistake: Mistake

    /// Lines in which a mistake makes a difference: a line without a notification has nothing to remove.
    package static func lines(for mistake: Mistake) -> [TransitionLine] {
        let matrix = TransitionMatrix()
        return matrix.handled.filter { mistake == .redirected || !matrix.cell($0).hasSuffix("silent") }
    }

    /// The table with a mistake in one line.
    package init(_ mistake: Mistake, in line: TransitionLine) {
        self.line = line
        self.mistake = mistake
    }

    /// The rule of the table.
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

    /// A wrong state that is possible for the same transaction.
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

    /// Finds the first seed, of so many, whose workload breaks a law, or that leaves a required line of the table
    /// unreached.
    ///
    /// - Returns: the number of workloads it took, and the finding; nil without a finding.
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
