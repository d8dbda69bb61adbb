import Testing

/// Developers find the file of a behaviour by its name, so no file or folder may have a name that fits everything.
@Suite("Files and folders have specific names")
struct NameTests {
    /// Names that fit everything.
    static let bags: Set = ["common", "core", "extensions", "helpers", "misc", "shared", "support", "util", "utils"]
    /// Suffixes without a meaning.
    static let endings = ["Manager", "Helper", "Helpers", "Util", "Utils", "Utilities", "+Extensions", "+Extension"]

    static func findings(path: String) -> [Finding] {
        path.split(separator: "/").compactMap { part in
            let name = part.split(separator: ".").first.map(String.init) ?? String(part)
            guard bags.contains(name.lowercased()) || endings.contains(where: name.hasSuffix) else { return nil }
            return Finding(path: path, message: "the name \(part) says nothing: name it for the one idea it holds")
        }
    }

    @Test("No file or folder has an unspecific name")
    func names() {
        let paths = ["Sources", "Tests", "Benchmarks/Sources"].flatMap(Repository.swiftPaths(under:))
        #expect(paths.contains("Tests/TidyTests/NameTests.swift"))
        paths.flatMap(Self.findings(path:)).expectNone()
    }

    @Test(
        "Each unspecific name is found",
        arguments: [
            "Sources/TillShop/Utils/A.swift", "Sources/TillShop/Core/A.swift", "Sources/TillShop/Helpers.swift",
            "Sources/TillShop/ClockManager.swift", "Sources/TillShop/String+Extensions.swift",
            "Sources/TillShop/DateHelper.swift", "Sources/TillShop/Extensions/A.swift", "Sources/till/common/A.swift",
        ]
    )
    func found(path: String) {
        #expect(Self.findings(path: path).count == 1)
    }

    @Test(
        "Specific names have no findings",
        arguments: [
            "Sources/TillCore/Subscription+Renewal.swift", "Sources/TillServer/API/Endpoints/Transactions.swift",
            "Tests/TillCoreTests/PeriodTests.swift", "Sources/TillShop/Sender.swift",
        ]
    )
    func left(path: String) {
        #expect(Self.findings(path: path).isEmpty)
    }
}
