import Testing

/// The repository names only Till, and not the environment in which it was written.
@Suite("No file names a work environment")
struct WordTests {
    /// The forbidden words, each with the alternative. The code composes the words, so that this file does not contain
    /// them.
    static let words: [(word: String, advice: String)] = [
        ("/wo" + "rk/", "write a path relative to the repository"),
        ("/ro" + "ot/", "write a path relative to the repository, or ~"),
        ("/opt/swift-" + "packages", "name packages by their public address in Package.swift"),
        ("../sha" + "red", "keep what Till needs in this repository"),
        ("py" + "pi.org", "say pip"),
        ("python" + "hosted.org", "say pip"),
        ("debian" + ".org", "say apt-get, or Debian"),
        ("npm" + "js", "say npm"),
        ("Clau" + "de", "speak of Till"),
        ("Anthro" + "pic", "speak of Till"),
        ("agent " + "session", "speak of Till"),
        ("AI " + "agent", "speak of Till"),
    ]
    static let publicHost = "github" + ".com"
    static let filesWithPublicHost: Set = [
        "Package.swift", "Benchmarks/Package.swift", "Tests/Fixtures/outside-package/Package.swift",
        "Tests/Fixtures/outside-client/Package.swift",
        // The placeholder for a file that is stored elsewhere contains a link to its format.
        "Tests/Fixtures/storekit/refused/git-lfs-pointer.storekit",
    ]

    static func findings(path: String, text: String) -> [Finding] {
        var forbidden = words
        if !filesWithPublicHost.contains(path) {
            forbidden.append((publicHost, "only Package.swift holds such links; name the project instead"))
        }
        guard forbidden.contains(where: { text.contains($0.word) }) else { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().flatMap { index, line in
            forbidden.filter { line.contains($0.word) }.map {
                Finding(path: path, line: index + 1, message: "\($0.word): \($0.advice)")
            }
        }
    }

    @Test("No tracked text file contains a forbidden word", .enabled(if: Repository.isGitClone))
    func tracked() throws {
        let paths = try Repository.trackedPaths()
        #expect(paths.contains("Package.swift"))
        let findings = paths.flatMap { path in
            Repository.text(of: path).map { Self.findings(path: path, text: $0) } ?? []
        }
        findings.expectNone()
    }

    @Test("Each forbidden word is found, with its line", arguments: words.map(\.word) + [publicHost])
    func found(word: String) {
        let findings = Self.findings(path: "docs/a.md", text: "one\nsee \(word)x\n")
        #expect(findings.map(\.line) == [2])
    }

    @Test("Ordinary text has no findings")
    func left() {
        let text = "the user agent works; see swift.org, the root and /framework/root.pem, session and shared/ too\n"
        #expect(Self.findings(path: "docs/a.md", text: text).isEmpty)
        #expect(Self.findings(path: "Package.swift", text: "https://\(Self.publicHost)/apple/swift-nio\n").isEmpty)
    }
}
