import Foundation

/// The `openssl` command, which serves as an independent implementation.
enum OpenSSL {
    struct Answer {
        let status: Int32
        let text: String
    }

    static func run(_ arguments: [String]) throws -> Answer {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Answer(status: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
    }

    /// Calls `body` with a temporary folder, and removes the folder afterwards.
    static func inFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("till-signing-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder)
    }
}

extension URL {
    /// Writes a file to the folder and returns its path.
    func file(_ name: String, _ text: String) throws -> String {
        let url = appendingPathComponent(name)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }
}
