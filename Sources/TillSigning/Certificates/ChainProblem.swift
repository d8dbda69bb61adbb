/// One thing wrong with a signing chain, in words for the operator (`till doctor`).
package struct ChainProblem: Sendable, Equatable, CustomStringConvertible {
    /// The part to look at.
    package let part: ChainPart
    /// What is wrong with it: the rest of a sentence that begins with the part's name.
    package let reason: String

    /// The whole sentence, without a full stop.
    package var description: String { "the \(part.rawValue) \(reason)" }
}
