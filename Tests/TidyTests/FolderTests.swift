import Testing

/// A file is found by its name, and a folder by what its files have in common.
@Suite("Files have names of their own, and folders stay small")
struct FolderTests {
    static let filesOfFolder = 20

    static func sharedNames(_ paths: [String]) -> [Finding] {
        let groups = Dictionary(grouping: paths) { (path: String) -> String in split(path).name }
        return groups.filter { $0.value.count > 1 && $0.key != "Package.swift" }.flatMap { group in
            group.value.map { path in
                Finding(path: path, message: "another file has the name \(group.key): rename one of them")
            }
        }
    }

    static func crowdedFolders(_ paths: [String]) -> [Finding] {
        let groups = Dictionary(grouping: paths) { (path: String) -> String in split(path).folder }
        return groups.filter { $0.value.count > filesOfFolder }.map { group in
            let message = "\(group.value.count) files, and \(filesOfFolder) are the most: sort them into folders"
            return Finding(path: group.key, message: message)
        }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        var parts = path.split(separator: "/").map(String.init)
        let name = parts.popLast() ?? path
        return (parts.joined(separator: "/"), name)
    }

    private static var paths: [String] {
        ["Sources", "Tests", "Benchmarks/Sources"].flatMap { Repository.swiftPaths(under: $0) }
    }

    @Test("No two Swift files have one name")
    func names() { Self.sharedNames(Self.paths).expectNone() }

    @Test("No folder holds more than twenty loose Swift files")
    func folders() { Self.crowdedFolders(Self.paths).expectNone() }

    @Test("A second name and a twenty-first file are found")
    func found() {
        #expect(Self.sharedNames(["A/Ledger.swift", "B/Ledger.swift", "B/Outbox.swift"]).count == 2)
        let crowd = (1...21).map { "A/File\($0).swift" }
        #expect(Self.crowdedFolders(crowd).map(\.path) == ["A"])
        #expect(Self.crowdedFolders(Array(crowd.dropLast())).isEmpty)
    }
}
