import Foundation
import Testing

/// Code that only Linux supports must be in a condition, so that nobody forgets the branch for other systems.
@Suite("Code that only Linux supports is conditional")
struct LinuxTests {
    /// The C libraries, functions and paths that only Linux has.
    static let words = [
        "Glibc", "Musl", "epoll_", "inotify_", "signalfd(", "memfd_create(", "prctl(", "unshare(", "setns(",
        "getTCPInfo(", "mallopt(", "malloc_trim(", "/proc/", "/dev/shm",
    ]
    private static let conditions = [
        "os(Linux)", "canImport(Glibc)", "canImport(Musl)", "__linux__", "__GLIBC__",
    ]

    static func findings(path: String, text: String) -> [Finding] {
        var branches: [Branch] = []
        return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { index, line in
            let code = line.drop { $0 == " " }
            if code.hasPrefix("#") {
                Self.follow(code, &branches)
                return nil
            }
            guard !code.hasPrefix("//"), !branches.contains(where: \.isOfLinux),
                let word = words.first(where: code.contains)
            else { return nil }
            let advice = "put it between #if os(Linux) and #else, with what other systems do"
            return Finding(path: path, line: index + 1, message: "only Linux has \(word): \(advice)")
        }
    }

    /// A branch of `#if`.
    private struct Branch {
        let isOfLinux: Bool
        /// Whether an `#else` of this branch is for other systems only.
        let excludesLinux: Bool

        init(_ condition: Substring) {
            let isAboutLinux = conditions.contains(where: condition.contains)
            let isNegated = condition.contains("!") || condition.hasPrefix("#ifndef")
            isOfLinux = isAboutLinux && !isNegated
            excludesLinux = isAboutLinux && isNegated
        }

        init(elseOf branch: Branch) {
            isOfLinux = branch.excludesLinux
            excludesLinux = false
        }
    }

    private static func follow(_ directive: Substring, _ branches: inout [Branch]) {
        if directive.hasPrefix("#if") {
            branches.append(Branch(directive))
        } else if directive.hasPrefix("#elif") || directive.hasPrefix("#elseif") {
            _ = branches.popLast()
            branches.append(Branch(directive))
        } else if directive.hasPrefix("#else") {
            if let branch = branches.popLast() { branches.append(Branch(elseOf: branch)) }
        } else if directive.hasPrefix("#endif") {
            _ = branches.popLast()
        }
    }

    @Test("No Swift or C file uses a Linux function without a condition")
    func sources() throws {
        let paths = try ["Sources", "Benchmarks/Sources"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: Repository.root.appending(path: folder).path)
                .filter { path in [".swift", ".c", ".h"].contains { path.hasSuffix($0) } }
                .map { "\(folder)/\($0)" }
        }
        #expect(paths.contains("Sources/CNamespace/namespace.c"))
        #expect(paths.contains("Sources/TillExec/ExecRun.swift"))
        for path in paths.sorted() {
            let text = try #require(Repository.text(of: path))
            Self.findings(path: path, text: text).expectNone()
        }
    }

    @Test("The complete module of till exec is in a condition")
    func module() {
        for file in Repository.sources where file.module == "TillExec" {
            #expect(file.lines.first == "#if os(Linux)" && file.lines.dropLast().last == "#endif", "\(file.path)")
        }
    }

    @Test(
        "A use without a condition, or in the wrong branch, is found with its line",
        arguments: [
            "let a = 1\nimport Glibc\n", "#if os(macOS)\nprctl(1)\n#endif",
            "#if !os(Linux)\nlet a = \"/proc/self\"\n#endif",
            "#if os(Linux)\n#else\nepoll_wait()\n#endif", "#ifndef __linux__\nunshare(0);\n#endif",
            "#if os(Linux)\n#endif\nlet a = \"/dev/shm\"",
        ]
    )
    func found(text: String) {
        let findings = Self.findings(path: "a", text: text)
        #expect(findings.map(\.line) == [text.hasPrefix("#if os(Linux)") ? 3 : 2], "\(findings.report)")
    }

    @Test(
        "A conditional use and a comment have no finding",
        arguments: [
            "#if os(Linux)\nimport Glibc\n#endif",
            "#if canImport(Darwin)\nimport Darwin\n#elseif canImport(Glibc)\nimport Glibc\n#endif",
            "#if !os(Linux)\n#else\nprctl(1)\n#endif", "#ifdef __linux__\n#ifdef A\nunshare(0);\n#endif\n#endif",
            "    // reads /proc/self", "let processor = 1",
        ]
    )
    func left(text: String) {
        Self.findings(path: "a", text: text).expectNone()
    }
}
