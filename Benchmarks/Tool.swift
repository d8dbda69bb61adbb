import AsyncHTTPClient
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import TillShop

/// A server under load, as a process of its own on the first core.
struct Tool {
    let address: String
    private let process: Process

    /// Till on a data directory that nobody else has.
    static func till(_ directory: DataDirectory, _ arguments: [String]) throws -> Tool {
        let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path
        let ready = "\(directory.path)/ready.json"
        try? FileManager.default.removeItem(atPath: ready)
        let ports = ["--production-port", "0", "--sandbox-port", "0", "--control-port", "0"]
        let process = try start(
            ["\(folder)/till", "serve", "--data", directory.path, "--ready-file", ready] + ports + arguments
        )
        return Tool(address: try wait(for: ready, "sandbox"), process: process)
    }

    /// Hummingbird answering the same bytes from memory.
    static func bytes(_ page: [UInt8], in directory: DataDirectory) throws -> Tool {
        let file = "\(directory.path)/page"
        let ready = "\(directory.path)/ready.json"
        try? FileManager.default.removeItem(atPath: ready)
        try Data(page).write(to: URL(fileURLWithPath: file))
        let process = try start([CommandLine.arguments[0], "--serve-bytes", file, ready])
        return Tool(address: try wait(for: ready, "sandbox"), process: process)
    }

    /// The page that the server answers.
    func body(of path: String, token: String) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: address + path)
        request.headers.add(name: "Authorization", value: "Bearer \(token)")
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
        guard response.status == .ok else { throw BenchRefused("the page was answered with \(response.status)") }
        return Array(buffer: try await response.body.collect(upTo: 1 << 24))
    }

    func stop() {
        process.terminate()
        process.waitUntilExit()
    }

    // MARK: Processes

    static func path(of name: String) -> String? {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What a program prints until its end.
    static func output(_ command: [String]) throws -> String {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = command
        process.standardOutput = pipe
        try process.run()
        let said = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: said, as: UTF8.self)
    }

    private static func start(_ command: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["taskset", "-c", "0"] + command
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func wait(for file: String, _ key: String) throws -> String {
        for _ in 0..<3_000 {
            if let data = FileManager.default.contents(atPath: file),
                let facts = try? JSONDecoder().decode([String: Fact].self, from: data),
                case .text(let address)? = facts[key]
            {
                return address
            }
            Thread.sleep(forTimeInterval: 0.01)
        }
        throw BenchRefused("the server was not ready within 30 s")
    }

    private enum Fact: Decodable {
        case text(String)
        case other

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            self = (try? value.decode(String.self)).map { .text($0) } ?? .other
        }
    }

    /// The process that answers bytes from memory.
    static func serveBytes(_ file: String, _ ready: String) async throws {
        let page = ByteBuffer(bytes: try Data(contentsOf: URL(fileURLWithPath: file)))
        let router = Router()
        router.get("/**") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: page))
        }
        var logger = Logger(label: "bytes")
        logger.logLevel = .error
        let application = Application(
            router: router,
            configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in
                let text = #"{"sandbox":"http://127.0.0.1:\#(channel.localAddress?.port ?? 0)"}"#
                try? text.write(toFile: ready, atomically: true, encoding: .utf8)
            },
            logger: logger
        )
        try await application.runService()
    }
}

/// Why nothing was measured.
struct BenchRefused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
