import Foundation

/// The repository, as the rules read it.
enum Repository {
    /// The folder that holds Package.swift.
    static let root = URL(filePath: #filePath)
        .resolvingSymlinksInPath()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every Swift file under `Sources`, read and tokenized once.
    static let sources: [SourceFile] = swiftPaths(under: "Sources").compactMap { path in
        text(of: path).map { SourceFile(path, $0) }
    }

    /// The same for the benchmarks, which are a separate package.
    static let benchmarks: [SourceFile] = swiftPaths(under: "Benchmarks/Sources").compactMap { path in
        text(of: path).map { SourceFile(path, $0) }
    }

    /// The paths of the Swift files under a folder of the root, sorted.
    static func swiftPaths(under folder: String) -> [String] {
        let paths = try? FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
        return (paths ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { "\(folder)/\($0)" }
    }

    /// A file's text, or nil if it is missing or is not UTF-8 text.
    static func text(of path: String) -> String? {
        guard let bytes = try? Data(contentsOf: root.appending(path: path)), !bytes.contains(0) else { return nil }
        return String(bytes: bytes, encoding: .utf8)
    }

    /// The paths of all files that git tracks or would add.
    static func trackedPaths() throws -> [String] {
        let run = try CommandRun(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        guard run.status == 0 else { return [] }
        return run.output.split(separator: "\0").map(String.init)
    }

    /// False in a copy without history, such as an unpacked archive.
    static var isGitClone: Bool { FileManager.default.fileExists(atPath: root.appending(path: ".git").path) }
}
