import Testing

/// The rules in TillCore take time, randomness and other state as arguments only.
@Suite("TillCore has no clock, no randomness, no concurrency and no JSON")
struct CoreTests {
    /// The words that are forbidden in TillCore, each with the alternative.
    static let words: [String: String] = [
        clock: [
            "ContinuousClock", "SuspendingClock", "UTCClock", "DispatchTime", "DispatchWallTime", "ProcessInfo",
            "clock_gettime", "gettimeofday", "CFAbsoluteTimeGetCurrent", "timeIntervalSinceNow",
        ],
        randomness: [
            "SystemRandomNumberGenerator", "randomElement", "shuffle", "shuffled", "arc4random", "arc4random_uniform",
            "getrandom", "getentropy", "drand48", "hashValue", "Hasher",
        ],
        concurrency: [
            "async", "await", "Task", "TaskGroup", "MainActor", "Thread", "DispatchQueue", "withTaskGroup",
            "withThrowingTaskGroup", "withCheckedContinuation", "withCheckedThrowingContinuation",
        ],
        json: ["JSONEncoder", "JSONDecoder", "JSONSerialization", "PropertyListEncoder", "PropertyListDecoder"],
    ].reduce(into: [:]) { table, entry in
        for word in entry.value { table[word] = entry.key }
    }

    static let clock = "take the instant as an argument, a Timestamp"
    static let randomness = "derive it from the seed and the change number, or take it as an argument"
    static let concurrency = "the core decides at once over values; let TillShop wait"
    static let json = "hand over values; TillStorage, TillShop and TillServer encode"

    static func findings(in file: SourceFile) -> [Finding] {
        file.tokens.indices.compactMap { index in
            advice(at: index, in: file).map { file.finding(at: index, "\(file.text(index)): \($0)") }
        }
    }

    private static func advice(at index: Int, in file: SourceFile) -> String? {
        let word = file.text(index)
        let before = file.text(index - 1)
        let isCall = file.text(index + 1) == "("
        switch word {
        case "hasher", "Hasher":
            // `func hash(into hasher: inout Hasher)` makes a value a dictionary key.
            return before == "inout" || word == "hasher" ? nil : words[word]
        case "Date" where file.has(["(", ")"], at: index + 1) || file.has([".", "init", "(", ")"], at: index + 1):
            return clock
        case "now" where before == "." && isTypeOrNothing(file, index - 2):
            return clock
        case "time" where isCall && before != "." && before != "func":
            return clock
        case "Clock" where before == "any" || before == "some":
            return clock
        case "UUID" where file.has(["(", ")"], at: index + 1) || file.has([".", "init", "(", ")"], at: index + 1):
            return randomness
        case "random" where isCall && before == ".":
            return randomness
        case "actor" where file.tokens.indices.contains(index + 1) && file.tokens[index + 1].isWord && before != ".":
            return concurrency
        default:
            return words[word]
        }
    }

    /// True before a dot that follows a type's name or nothing, as in `Date.now` and `= .now`. A value's own `now`, as
    /// in `context.now`, is allowed.
    private static func isTypeOrNothing(_ file: SourceFile, _ index: Int) -> Bool {
        guard let first = file.text(index).unicodeScalars.first, file.tokens[index].isWord else {
            return !["?", ")", "]", "!"].contains(file.text(index))
        }
        return first.properties.isUppercase || ["return", "in", "case", "else", "try"].contains(file.text(index))
    }

    @Test("TillCore takes time and randomness as arguments only")
    func core() {
        Repository.sources.filter { $0.module == "TillCore" }.flatMap(Self.findings(in:)).expectNone()
    }

    @Test(
        "Each forbidden word is found once",
        arguments: [
            "let a = Date()", "let a = Date.init()", "let a = Date.now", "let a: Date = .now", "f(.now)", "return .now",
            "let a = ContinuousClock().measure {}", "func f(c: some Clock<Duration>) {}", "clock_gettime(a, &b)",
            "let a = time(nil)", "let a = Int.random(in: 0..<3)", "let a: Bool = .random()", "let a = b.shuffled()",
            "let a = b.randomElement()", "let a = UUID()", "let a = \"\\(UUID().uuidString)\"", "let a = b.hashValue",
            "var a = SystemRandomNumberGenerator()", "var a = Hasher()", "func f() async {}", "let a = await b",
            "actor A {}", "package actor A {}", "Task { 1 }", "let a = JSONEncoder()", "JSONSerialization.data()",
        ]
    )
    func found(sample: String) {
        let findings = Self.findings(in: SourceFile("Sources/TillCore/A.swift", sample))
        #expect(findings.count == 1, "\(findings.report)")
    }

    @Test(
        "Similar words have no findings",
        arguments: [
            "// Date() and UUID() are not asked", "let a = \"Date()\"", "let a = Date(timeIntervalSince1970: 1)",
            "let a = context.now", "let a = self.now + 1", "let a = f().now", "let a = b[0].now", "let a = b?.now",
            "func time(of a: Int) {}", "a.time(of: 1)", "func hash(into hasher: inout Hasher) { hasher.combine(1) }",
            "let a = UUID(uuidString: b)", "let random = 1", "let actor = 1", "f(actor: 1)", "struct Clock {}",
            "let clock: Clock", "enum A { case tasks }", "let a: any Codable",
        ]
    )
    func left(sample: String) {
        Self.findings(in: SourceFile("Sources/TillCore/A.swift", sample)).expectNone()
    }
}
