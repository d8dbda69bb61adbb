import Testing

/// A violation of a rule, with its location and the alternative.
struct Finding: CustomStringConvertible {
    /// The path of the file, relative to the root of the repository.
    let path: String
    /// The line number, counted from 1; nil if the finding is about the complete file.
    var line: Int?
    /// What is wrong and what to do instead.
    let message: String

    var description: String {
        guard let line else { return "\(path): \(message)" }
        return "\(path):\(line): \(message)"
    }
}

extension [Finding] {
    /// All findings, one per line.
    var report: String { map { "\n" + $0.description }.joined() }

    /// Fails the running test with all findings; does nothing without findings.
    func expectNone(sourceLocation: SourceLocation = #_sourceLocation) {
        guard !isEmpty else { return }
        Issue.record("departures from the rule: \(count)\(report)", sourceLocation: sourceLocation)
    }
}
