import Testing

/// Bodies of the control API are read and written as types of `TillControl`, never by the names of their keys.
@Suite("No body of the control API is read or written by string")
struct ContractTests {
    /// The folders whose code handles requests and answers of the control API.
    static let folders = ["Sources/TillServer/Control/", "Sources/TillConsole/", "Sources/till/"]

    /// Files that read or write other JSON by key, each with the reason.
    static let exceptions = [
        "Sources/TillConsole/Words/DecodedWords.swift": "payloads that a user pastes",
        "Sources/till/Apple/AppleDifferences.swift": "answers of Apple's API in a file",
        "Sources/till/Apple/AppleLists.swift": "answers of Apple's API",
        "Sources/till/Apple/AppleLookups.swift": "answers of Apple's API",
        "Sources/till/Apple/AppleRecording.swift": "answers of Apple's API in a file",
        "Sources/till/Apple/AppleVerify.swift": "the body of a notification",
        "Sources/till/Apple/SignedAnswers.swift": "payloads of Apple's API",
        "Sources/till/Apple/SignedDataReport.swift": "payloads that a user verifies",
        "Sources/till/Commands/ServerOptions.swift": "the file in which a server writes its ports",
        "Sources/till/Serving/Announcement.swift": "the ready file",
        "Sources/till/Testing/HistoryCommand.swift": "answers of Apple's API",
    ]

    static func findings(path: String, text: String) -> [Finding] {
        guard folders.contains(where: path.hasPrefix) else { return [] }
        // A value is read with a literal (`["key"]?.text`) or with a constant (`[Key.customer]?.text`).
        let reading = /("|[A-Z]\w*\.\w+)\]\?\.(text|number|double|elements|members|isTrue)\b/
        let writing = /JSONWriter|JSONTree\.Member\("/
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let code = line.drop { $0 == " " }
            guard !code.hasPrefix("//"), code.contains(reading) || code.contains(writing) else { return nil }
            let advice = "use the type of the request or answer in TillControl"
            return Finding(path: path, line: index + 1, message: "a body is read or written by key: \(advice)")
        }
    }

    @Test("Only the listed files read or write JSON by key, and each of them does")
    func sources() {
        let found = Repository.sources.flatMap {
            Self.findings(path: $0.path, text: $0.lines.joined(separator: "\n"))
        }
        found.filter { Self.exceptions[$0.path] == nil }.expectNone()
        let unneeded = Set(Self.exceptions.keys).subtracting(found.map(\.path))
        #expect(unneeded.isEmpty, "remove the exceptions that are not needed")
    }

    @Test(
        "Reading and writing by key are found",
        arguments: [
            #"let id = answer["customer"]?.text"#, "let id = answer[Key.customer]?.text", "var json = JSONWriter()",
            #"body.append(JSONTree.Member("at", .number("1")))"#,
        ]
    )
    func found(line: String) {
        #expect(Self.findings(path: "Sources/till/A.swift", text: line).count == 1)
        #expect(Self.findings(path: "Sources/TillShop/A.swift", text: line).isEmpty)
    }

    @Test("Other subscripts and comments are not found", arguments: ["let a = parameters[name]", "// JSONWriter"])
    func allowed(line: String) {
        #expect(Self.findings(path: "Sources/till/A.swift", text: line).isEmpty)
    }
}
