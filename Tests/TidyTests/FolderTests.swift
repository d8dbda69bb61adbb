import Testing

/// Checks that no two Swift files have the same name, and that no folder has more than twenty files.
@Suite("File names are unique, and folders are small")
struct FolderTests {
    static let filesOfFolder = 20
    /// The folders that may have more files, each with the reason.
    static let exceptions = [
        "Tests/Fixtures/storekit/refused": "one file for each error of an import; SetupControlTests reads them all"
    ]

    static func sharedNames(_ paths: [String]) -> [Finding] {
        let groups = Dictionary(grouping: paths) { (path: String) -> String in split(path).name }
        return groups.filter { $0.value.count > 1 && $0.key != "Package.swift" }.flatMap { group in
            group.value.map { path in
                Finding(path: path, message: "another file has the name \(group.key): rename one of them")
            }
        }
    }

    /// The folders with too many files, and the exceptions that are no longer needed.
    static func crowdedFolders(_ paths: [String], exceptions: Set<String> = []) -> [Finding] {
        let groups = Dictionary(grouping: paths) { (path: String) -> String in split(path).folder }
        let crowded = groups.filter { $0.value.count > filesOfFolder }
        let unsorted = crowded.filter { !exceptions.contains($0.key) }.map { group in
            let message = "\(group.value.count) files, and \(filesOfFolder) are the most: sort them into folders"
            return Finding(path: group.key, message: message)
        }
        let unneeded = exceptions.filter { crowded[$0] == nil }.map { folder in
            Finding(path: folder, message: "\(filesOfFolder) files or fewer: remove it from the exceptions")
        }
        return unsorted + unneeded
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        var parts = path.split(separator: "/").map(String.init)
        let name = parts.popLast() ?? path
        return (parts.joined(separator: "/"), name)
    }

    private static var paths: [String] {
        ["Sources", "Tests", "Benchmarks/Sources"].flatMap { Repository.swiftPaths(under: $0) }
    }

    @Test("No two Swift files have the same name")
    func names() { Self.sharedNames(Self.paths).expectNone() }

    @Test("No folder has more than twenty files of its own", .enabled(if: Repository.isGitClone))
    func folders() throws {
        let paths = try Repository.trackedPaths()
        #expect(paths.contains("Package.swift"))
        Self.crowdedFolders(paths, exceptions: Set(Self.exceptions.keys)).expectNone()
    }

    @Test("A duplicate file name and a twenty-first file are found")
    func found() {
        #expect(Self.sharedNames(["A/Ledger.swift", "B/Ledger.swift", "B/Outbox.swift"]).count == 2)
        let crowd = (1...21).map { "A/File\($0).swift" }
        #expect(Self.crowdedFolders(crowd).map(\.path) == ["A"])
        #expect(Self.crowdedFolders(Array(crowd.dropLast())).isEmpty)
    }

    @Test("A folder with an exception may have more files, and an unneeded exception is found")
    func exempt() {
        let crowd = (1...21).map { "A/file\($0).txt" }
        #expect(Self.crowdedFolders(crowd, exceptions: ["A"]).isEmpty)
        #expect(Self.crowdedFolders(Array(crowd.dropLast()), exceptions: ["A"]).map(\.path) == ["A"])
    }
}
