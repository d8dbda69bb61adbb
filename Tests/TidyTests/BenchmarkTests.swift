import Testing

/// A benchmark compares two builds of Till, so the benchmarks must use the same versions of all dependencies as Till.
@Suite("The benchmarks depend on the same versions as Till")
struct BenchmarkTests {
    /// The versions that a manifest requires, by the URL of the package: the first, or a range.
    static func versions(in manifest: String) -> [String: String] {
        let matches = manifest.matches(of: /\.package\(url: "([^"]+)", (?:from: )?"([^)]+)"\)/)
        return Dictionary(matches.map { (String($0.1), String($0.2)) }) { first, _ in first }
    }

    @Test("The benchmarks require the same version of each dependency as Till")
    func sameVersions() throws {
        let till = Self.versions(in: try #require(Repository.text(of: "Package.swift")))
        let benchmarks = Self.versions(in: try #require(Repository.text(of: "Benchmarks/Package.swift")))
        #expect(benchmarks.count > 3)
        for (address, version) in benchmarks { #expect(till[address] == version, "\(address)") }
    }

    @Test("Building Till builds no benchmark")
    func apart() throws {
        let manifest = try #require(Repository.text(of: "Package.swift"))
        #expect(!manifest.contains("Benchmarks"))
    }

    @Test("The versions are read from a manifest")
    func read() {
        let manifest = #".package(url: "https://example.com/a", from: "1.2.3"), .package(path: "..")"#
        #expect(Self.versions(in: manifest) == ["https://example.com/a": "1.2.3"])
        let range = #".package(url: "https://example.com/a", "1.2.3"..<"3.0.0"),"#
        #expect(Self.versions(in: range) == ["https://example.com/a": #"1.2.3"..<"3.0.0"#])
    }
}
