/// What is wrong with an exported state, and in which line.
struct StateFault: Equatable {
    /// Counted from 1.
    let line: Int
    /// A clause without a full stop.
    let words: String

    /// The fault that comes first in the text.
    static func first(of faults: some Sequence<StateFault>) -> StateFault? {
        faults.min { ($0.line, $0.words) < ($1.line, $1.words) }
    }
}
