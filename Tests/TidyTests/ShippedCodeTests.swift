import Testing

/// Users get only the products of Package.swift. No product may contain the simulation, the webhook receiver or the
/// PostgreSQL server of the tests.
@Suite("No product contains test code")
struct ShippedCodeTests {
    static let testCode = "TillTestSupport"

    /// For each target of a manifest, the targets of the same manifest on which it depends.
    static func dependencies(in manifest: SourceFile) -> [String: Set<String>] {
        let text = manifest.lines.joined(separator: "\n")
        let declaration = /\.\w*[tT]arget\(\s*name: "([^"]+)"(?:,\s*dependencies: \[([^\]]*)\])?/
        let targets = text.matches(of: declaration).map { match in
            (String(match.1), (match.2 ?? "").matches(of: /"([^"]+)"/).map { String($0.1) })
        }
        return Dictionary(uniqueKeysWithValues: targets.map { ($0.0, Set($0.1)) })
    }

    /// The targets of all products.
    static func shipped(in manifest: SourceFile) -> Set<String> {
        let text = manifest.lines.joined(separator: "\n")
        let products = text.matches(of: /\.(?:executable|library)\(\s*name: "[^"]+",\s*targets: \[([^\]]*)\]/)
        return Set(products.flatMap { $0.1.matches(of: /"([^"]+)"/).map { String($0.1) } })
    }

    /// The given targets and all targets on which they depend, directly or indirectly.
    static func closure(of targets: Set<String>, in dependencies: [String: Set<String>]) -> Set<String> {
        var found: Set<String> = []
        var left = Array(targets)
        while let target = left.popLast() {
            guard found.insert(target).inserted else { continue }
            left += dependencies[target] ?? []
        }
        return found
    }

    @Test("No product depends on test code")
    func products() throws {
        let manifest = SourceFile("Package.swift", try #require(Repository.text(of: "Package.swift")))
        let dependencies = Self.dependencies(in: manifest)
        #expect(dependencies.keys.contains(Self.testCode))
        let shipped = Self.closure(of: Self.shipped(in: manifest), in: dependencies)
        #expect(shipped.isSuperset(of: ["till", "TillConsole", "TillCore"]))
        #expect(!shipped.contains(Self.testCode), "a product depends on \(Self.testCode): move the code that it needs")
        // The library for users' tests is a product, but it links swift-testing, so the binary must not contain it.
        let binary = Self.closure(of: ["till"], in: dependencies)
        #expect(shipped.contains("TillTesting") && !binary.contains("TillTesting"))
    }

    @Test("Test code on which a product depends indirectly is found")
    func found() {
        let text = """
            products: [.executable(name: "a", targets: ["A"])],
            targets: [
                .executableTarget(
                    name: "A",
                    dependencies: [
                        "B", other
                    ]
                ),
                .target(name: "B", dependencies: ["TillTestSupport"]),
                .target(name: "TillTestSupport"),
                .testTarget(name: "Tests", dependencies: ["C"]),
            ]
            """
        let manifest = SourceFile("Package.swift", text)
        let dependencies = Self.dependencies(in: manifest)
        #expect(dependencies == ["A": ["B"], "B": ["TillTestSupport"], "TillTestSupport": [], "Tests": ["C"]])
        #expect(Self.closure(of: Self.shipped(in: manifest), in: dependencies) == ["A", "B", "TillTestSupport"])
    }
}
