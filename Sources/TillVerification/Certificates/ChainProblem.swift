/// A problem with a signing chain, as a text for the operator (`till doctor`, the decoder).
package struct ChainProblem: Sendable, Equatable, CustomStringConvertible {
    /// The part with the problem.
    package let part: ChainPart
    /// The problem, as the predicate of a sentence whose subject is the part.
    package let reason: String

    /// The whole sentence, without a full stop.
    package var description: String { "the \(part.rawValue) \(reason)" }
}
