/// An error in an exported state.
struct StateFault: Equatable {
    /// The line of the error, counted from 1.
    let line: Int
    /// The error as a clause, without a full stop.
    let words: String

    /// The error with the lowest line.
    static func first(of faults: some Sequence<StateFault>) -> StateFault? {
        faults.min { ($0.line, $0.words) < ($1.line, $1.words) }
    }
}
