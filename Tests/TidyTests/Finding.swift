import Testing

/// One violation of a rule: the place, and what to write instead.
struct Finding: CustomStringConvertible {
    /// The file, relative to the repository's root.
    let path: String
    /// The line, counted from 1; nil when the finding is about the complete file.
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

    /// Fails the running test with the findings, if there are any.
    func expectNone(sourceLocation: SourceLocation = #_sourceLocation) {
        guard !isEmpty else { return }
        Issue.record("departures from the rule: \(count)\(report)", sourceLocation: sourceLocation)
    }
}
