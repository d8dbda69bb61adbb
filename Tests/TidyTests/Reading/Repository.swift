import Foundation

/// The files of the repository, as the checks read them.
enum Repository {
    /// The folder that holds Package.swift.
    static let root = URL(filePath: #filePath)
        .resolvingSymlinksInPath()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The modules in `Tests` that contain no tests, but support them.
    static let supportModules = ["TillTestSupport", "till-simulate"]

    /// Every Swift file in `Sources` and of the modules that support tests. Each file is read and split into tokens
    /// once.
    static let sources: [SourceFile] = (["Sources"] + supportModules.map { "Tests/\($0)" })
        .flatMap { swiftPaths(under: $0) }
        .compactMap { path in text(of: path).map { SourceFile(path, $0) } }

    /// Every Swift file of the benchmarks, which are a separate package.
    static let benchmarks: [SourceFile] = swiftPaths(under: "Benchmarks/Sources").compactMap { path in
        text(of: path).map { SourceFile(path, $0) }
    }

    /// The paths of the Swift files in a folder of the repository, sorted.
    static func swiftPaths(under folder: String) -> [String] {
        let paths = try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    }

    /// A file's text, or nil if it is missing or is not UTF-8 text.
    static func text(of path: String) -> String? {
        guard let bytes = try? Data(contentsOf: root.appending(path: path)), !bytes.contains(0) else { return nil }
        return String(bytes: bytes, encoding: .utf8)
    }

    /// The paths of all files that git tracks, or that `git add` would add.
    static func trackedPaths() throws -> [String] {
        let run = try CommandRun(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        guard run.status == 0 else { return [] }
        return run.output.split(separator: "\0").map(String.init)
    }

    /// False in a copy without a git history, such as an unpacked archive.
    static var isGitClone: Bool { FileManager.default.fileExists(atPath: root.appending(path: ".git").path) }
}
