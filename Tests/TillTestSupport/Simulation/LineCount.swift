import Synchronization
import TillCore

/// Counts how often a simulation used each line of the transition table.
package final class LineCount: Sendable {
    private let counts = Mutex<[TransitionLine: Int]>([:])

    /// Creates a count without entries.
    package init() {}

    /// A rule that returns the steps of the transition table and counts each use.
    package var rule: Transitions.Rule {
        { state, cause, now throws(Objection) in
            let steps = try Transitions.steps(from: state, cause, at: now)
            self.counts.withLock { $0[TransitionLine(StateKind(state), CauseKind(cause)), default: 0] += 1 }
            return steps
        }
    }

    /// The number of times a line was used.
    package subscript(line: TransitionLine) -> Int { counts.withLock { $0[line, default: 0] } }
}
