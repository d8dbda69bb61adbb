/// A problem of a signing chain, as text for operators (`till doctor`).
package struct ChainProblem: Sendable, Equatable, CustomStringConvertible {
    /// The part with the problem.
    package let part: ChainPart
    /// The problem, as the predicate of a sentence whose subject is the part.
    package let reason: String

    /// The whole sentence, without a full stop.
    package var description: String { "the \(part.rawValue) \(reason)" }
}
