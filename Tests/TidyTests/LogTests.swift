import Testing

/// Swift's default text of an error may contain a key. A log line may therefore contain only the `logText` of an error.
@Suite("Log lines contain no reflected values")
struct LogTests {
    private static let levels: Set = ["trace", "debug", "info", "notice", "warning", "error", "critical"]
    private static let values: Set = ["error", "failure", "reason", "cause", "refused", "damaged", "self", "busy"]

    static func findings(in file: SourceFile) -> [Finding] {
        file.tokens.indices.flatMap { index -> [Finding] in
            guard levels.contains(file.text(index)), file.text(index - 1) == ".", file.text(index + 1) == "(",
                file.text(index - 2).lowercased().hasSuffix("logger")
            else { return [] }
            return arguments(from: index + 1, in: file).compactMap { place in
                guard file.text(place) == "(", values.contains(file.text(place + 1)), file.text(place + 2) == ")" else {
                    return nil
                }
                return file.finding(at: place, "\\(\(file.text(place + 1))) in a log line: write .logText behind it")
            }
        }
    }

    /// The indices of the tokens between two matching parentheses.
    private static func arguments(from open: Int, in file: SourceFile) -> Range<Int> {
        var depth = 0
        for place in open..<file.tokens.count {
            if file.text(place) == "(" { depth += 1 }
            if file.text(place) == ")" { depth -= 1 }
            if depth == 0 { return open + 1..<place }
        }
        return open + 1..<file.tokens.count
    }

    @Test("Every error in a log line is converted with logText")
    func sources() {
        Repository.sources.flatMap(Self.findings(in:)).expectNone()
    }

    @Test(
        "An unconverted error is found",
        arguments: [
            #"logger.error("failed", metadata: ["cause": "\(error)"])"#, #"shop.logger.warning("no: \(failure)")"#,
            #"context.logger.debug("a", metadata: ["a": "\(f(b))", "cause": "\(reason)"])"#,
        ]
    )
    func found(sample: String) {
        let findings = Self.findings(in: SourceFile("Sources/till/A.swift", sample))
        #expect(findings.count == 1, "\(findings.report)")
    }

    @Test(
        "Words, numbers and other function calls have no findings",
        arguments: [
            #"logger.error("failed", metadata: ["cause": "\(error.logText)"])"#, #"logger.info("\(count) of \(all)")"#,
            #"throw Refused("\(error)")"#, #"logger.error("error (error)")"#,
        ]
    )
    func left(sample: String) {
        Self.findings(in: SourceFile("Sources/till/A.swift", sample)).expectNone()
    }
}
