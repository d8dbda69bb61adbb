/// A problem with a signing chain, as a text for the operator (`till doctor`, the decoder).
package struct ChainProblem: Sendable, Equatable, CustomStringConvertible {
    /// The part with the problem.
    package let part: ChainPart
    /// The problem: the rest of a sentence that begins with the part's name.
    package let reason: String

    /// The whole sentence, without a full stop.
    package var description: String { "the \(part.rawValue) \(reason)" }
}
