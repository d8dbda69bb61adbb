import Foundation

/// The output and the exit code of a program that was run to its end.
struct CommandRun {
    /// Standard output and standard error, combined.
    let output: String
    /// The exit code; 0 means success.
    let status: Int32

    /// Runs a program from the PATH in the root folder of the repository.
    ///
    /// - Parameters:
    ///   - arguments: The program's name and its arguments.
    ///   - input: The text for standard input; a few kilobytes at most, because the program's output is read only after
    ///     all input was written.
    init(_ arguments: [String], input: String = "") throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.currentDirectoryURL = Repository.root
        let stdin = Pipe()
        let stdout = Pipe()
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stdout
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let bytes = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        output = String(decoding: bytes, as: UTF8.self)
        status = process.terminationStatus
    }
}
