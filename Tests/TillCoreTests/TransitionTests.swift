import Foundation
import Testing
import TillCore
import TillTestSupport

/// Checks that every pair of a state and a change has a result, and that the documentation lists it.
@Suite("The transition table")
struct TransitionTests {
    @Test("The matrix of states and changes equals the matrix in the documentation")
    func documented() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "docs/api/lifecycle.md"), encoding: .utf8)
        let matrix = TransitionMatrix().markdown
        #expect(page.contains(matrix), "docs/api/lifecycle.md must have this table:\n\(matrix)")
    }

    @Test("A scheduled event has an effect only in the states that have its deadline")
    func deadlines() {
        let matrix = TransitionMatrix()
        let states: [CauseKind: Set<StateKind>] = [
            .renewal: [.active, .paidAhead], .renewalLimit: [.active, .paidAhead],
            .chargeFailure: [.active, .paidAhead], .chargeFailureWithGrace: [.active, .paidAhead],
            .priceNotice: [.active, .paidAhead], .endOfGrace: [.gracePeriod], .endOfRetry: [.billingRetry],
        ]
        for (cause, expected) in states {
            let found = StateKind.allCases.filter { matrix.isHandled(TransitionLine($0, cause)) }
            #expect(Set(found) == expected, "\(cause.rawValue)")
        }
    }

    @Test("A change of status sends a notification, and the last notification of an instant has the new status")
    func statuses() throws {
        let matrix = TransitionMatrix()
        for line in matrix.handled {
            let before = matrix.state(line.state)
            let now = Timestamp(milliseconds: 1_767_225_600_000)
            let steps = try Transitions.steps(from: before, matrix.cause(line.cause, in: before), at: now)
            let last = try #require(steps.last)
            guard before?.status != last.state.status else { continue }
            #expect(last.event?.notice != nil, "\(line)")
        }
    }
}
