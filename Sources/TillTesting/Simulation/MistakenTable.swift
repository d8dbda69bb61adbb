import TillCore

/// The transition table with one mistake, to show that the laws find it.
package struct MistakenTable: Sendable {
    /// What is wrong with a line.
    package enum Mistake: String, CaseIterable, Sendable {
        /// Nothing happens: the state stays, and nobody is notified.
        case removed
        /// The notification is made, and another state follows.
        case redirected
    }

    private let line: TransitionLine
    private let mistake: Mistake

    /// Lines in which a mistake makes a difference: of a silent line nothing can be removed.
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

    /// A state that the same transaction allows, and that is not the right one.
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

    /// The first of so many seeds whose life breaks a law, or leaves a line that must be reached unreached at the end.
    ///
    /// - Returns: the number of lives it took, and what was found; nil when nothing was.
    package func discovery(within seeds: UInt64) async -> (lives: UInt64, finding: String)? {
        var count = TransitionCount()
        for seed in 1...seeds {
            let workload = WorkloadGenerator.workload(of: seed)
            let world = CoreUnderTest(for: workload, passing: .familyByFamily(steps: 20_000, parts: 1), rule: rule)
            var course = SimulationRun(of: workload, in: world, isWatched: true)
            await course.run(at: .days)
            if let failure = course.failure {
                let first = failure.split(separator: "\n").first.map(String.init) ?? failure
                return (seed, first)
            }
            count.add(course.count)
            if let strange = count.strange.first { return (seed, "not in the table: \(strange.key)") }
        }
        return count.rare(below: 1).first.map { (seeds, "never reached: \($0.rawValue)") }
    }
}
