import Synchronization
import TillCore

/// Counts how often the lines of the transition table were used.
package final class LineCount: Sendable {
    private let counts = Mutex<[TransitionLine: Int]>([:])

    /// Nothing counted yet.
    package init() {}

    /// The transition table, counting.
    package var rule: Transitions.Rule {
        { state, cause, now throws(Objection) in
            let steps = try Transitions.steps(from: state, cause, at: now)
            self.counts.withLock { $0[TransitionLine(StateKind(state), CauseKind(cause)), default: 0] += 1 }
            return steps
        }
    }

    /// How often a line was used.
    package subscript(line: TransitionLine) -> Int { counts.withLock { $0[line, default: 0] } }
}
