import Testing

/// Limits the length of files and lines.
@Suite("Files and lines are not too long")
struct LengthTests {
    static let linesOfFile = 450
    static let columnsOfLine = 120

    static func findings(in file: SourceFile) -> [Finding] {
        var findings: [Finding] = []
        // A file ends with a line break, so the last element is an empty string.
        let count = file.lines.last?.isEmpty == true ? file.lines.count - 1 : file.lines.count
        if count > linesOfFile {
            let message = "\(count) lines, and \(linesOfFile) are the most: move one idea to a file of its own"
            findings.append(Finding(path: file.path, message: message))
        }
        for (index, line) in file.lines.enumerated() where line.count > columnsOfLine {
            let message = "\(line.count) columns, and \(columnsOfLine) are the most: break the line"
            findings.append(Finding(path: file.path, line: index + 1, message: message))
        }
        return findings
    }

    @Test("No file has more than 450 lines, and no line has more than 120 columns")
    func sources() {
        (Repository.sources + Repository.benchmarks).flatMap(Self.findings(in:)).expectNone()
    }

    @Test("A file with 451 lines and a line with 121 columns are found")
    func found() {
        let long = SourceFile("A.swift", String(repeating: "a\n", count: 451))
        #expect(Self.findings(in: long).map(\.line) == [nil])
        let wide = SourceFile("A.swift", "a\n" + String(repeating: "é", count: 121) + "\n")
        #expect(Self.findings(in: wide).map(\.line) == [2])
    }

    @Test("A file and a line of the maximum length have no finding")
    func left() {
        let text = String(repeating: String(repeating: "é", count: 120) + "\n", count: 450)
        #expect(Self.findings(in: SourceFile("A.swift", text)).isEmpty)
    }
}
