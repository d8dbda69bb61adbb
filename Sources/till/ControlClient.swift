import ArgumentParser
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import TillJSON
import TillServer
import TillShop

/// The options with which a command finds the running server.
struct ServerOptions: ParsableArguments {
    @Option(help: "The URL of the control API, such as http://127.0.0.1:8890 (default: read from the data directory).")
    var control: String?
    @Option(help: "The data directory of a server on this machine (default ./till-data).")
    var data: String?
    @Flag(help: "Prints the answer as JSON, for scripts.")
    var json = false

    init() {}

    /// Creates the options for a command that declares them itself.
    init(control: String?, data: String?) {
        self.control = control
        self.data = data
    }

    func client() throws -> ControlClient {
        let named = data ?? TillVariable.text("DATA")
        let directory = DataDirectory(named ?? "./till-data")
        let found = control ?? TillVariable.text("CONTROL") ?? Self.address(in: directory)
        // With an explicit data directory, a server on the default port could be another server than the user wants.
        if found == nil, let named {
            throw ServerNotReached("No server has started in \(named) yet: till serve --data \(named)")
        }
        let address = found ?? "http://127.0.0.1:8890"
        let token = TillVariable.text("CONTROL_TOKEN") ?? (try? DataDirectory.read(directory.controlToken))
        return ControlClient(
            address: address,
            token: token?.trimmingCharacters(in: .whitespacesAndNewlines),
            directory: directory
        )
    }

    /// Calls the server and prints the answer.
    func show(
        _ ask: (ControlClient) async throws -> JSONTree,
        as text: (JSONTree) -> String = { Output.lines($0) }
    ) async throws {
        let answer = try await ask(try client())
        print(json ? String(decoding: answer.written(), as: UTF8.self) : text(answer))
    }

    private static func address(in directory: DataDirectory) -> String? {
        guard let text = try? DataDirectory.read(directory.ports), let tree = try? JSONTree.parse(Array(text.utf8))
        else {
            return nil
        }
        return tree["control"]?.text
    }
}

/// The options with which a command selects an app and an environment.
struct ScopeOptions: ParsableArguments {
    @Option(help: "The bundle identifier (default: the only app).")
    var app: String?
    @Option(name: .customLong("realm"), help: "sandbox (default) or production.")
    var environment: String?

    /// The path of the app's environment in the control API: `/v1/apps/com.example/sandbox`.
    func path(_ client: ControlClient) async throws -> String {
        let environment = environment ?? TillVariable.text("REALM") ?? "sandbox"
        return "/v1/apps/\(escaped(try await bundleID(client)))/\(escaped(environment))"
    }

    func bundleID(_ client: ControlClient) async throws -> String {
        if let app = app ?? TillVariable.text("APP") { return app }
        let apps = try await client.get("/v1/apps")["apps"]?.elements.compactMap { $0["bundleId"]?.text } ?? []
        guard apps.count == 1 else {
            throw CommandRefused(
                apps.isEmpty
                    ? "There is no app yet. Create one with till app create BUNDLE-ID."
                    : "There are \(apps.count) apps. Name one with --app: \(apps.joined(separator: ", ")).",
                code: apps.isEmpty ? "no_app" : "several_apps"
            )
        }
        return apps[0]
    }
}

/// Percent-encodes one part of a path.
func escaped(_ text: String) -> String { PercentEncoding.encoded(text) }

/// Calls the control API of a server.
struct ControlClient: Sendable {
    let address: String
    let token: String?
    let directory: DataDirectory

    func get(_ path: String) async throws -> JSONTree { try await send("GET", path, nil) }
    func post(_ path: String, _ body: JSONTree = .object([]), timeout: TimeAmount = .seconds(60)) async throws
        -> JSONTree
    {
        try await send("POST", path, body.written(), timeout)
    }
    func delete(_ path: String) async throws { _ = try await send("DELETE", path, nil) }
    func put(_ path: String, bytes: [UInt8], timeout: TimeAmount = .seconds(60)) async throws -> JSONTree {
        try await send("PUT", path, bytes, timeout)
    }

    private func send(
        _ method: String,
        _ path: String,
        _ body: [UInt8]?,
        _ timeout: TimeAmount = .seconds(60)
    ) async throws -> JSONTree {
        var request = HTTPClientRequest(url: address + path)
        request.method = .RAW(value: method)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let (status, bytes) = try await Self.exchange(request, at: address, timeout: timeout)
        if status == 204 { return .object([]) }
        let tree = try? JSONTree.parse(bytes)
        guard (200..<300).contains(status), let tree else {
            throw CommandRefused(Self.words(status, tree), answer: tree, status: status)
        }
        return tree
    }

    /// The message of a refusal. For a missing token it adds advice for the command line, which the server cannot give.
    static func words(_ status: Int, _ tree: JSONTree?) -> String {
        let words = tree?["message"]?.text ?? "The server answered \(status)."
        guard status == 401 else { return words }
        return "\(words.sentence) Set TILL_CONTROL_TOKEN, or give the server's data directory with --data."
    }

    /// The HTTP client of the command. It does not retry, so that the command reports a missing server at once.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a request and reads the whole answer.
    static func exchange(
        _ request: HTTPClientRequest,
        at address: String,
        timeout: TimeAmount = .seconds(60)
    ) async throws -> (status: Int, body: [UInt8]) {
        do {
            return try await send(request, timeout: timeout)
        } catch {
            throw ServerNotReached(at: address)
        }
    }

    /// Sends a request and returns the answer. The caller reads the body.
    static func open(_ request: HTTPClientRequest, at address: String, timeout: TimeAmount) async throws
        -> HTTPClientResponse
    {
        do {
            return try await http.execute(request, timeout: timeout)
        } catch {
            throw ServerNotReached(at: address)
        }
    }

    /// Sends a request to any server and reads the whole answer. Errors are thrown unchanged.
    ///
    /// - Parameter timeout: the limit for the whole exchange. A body that arrives slowly does not extend the limit.
    static func send(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> (status: Int, body: [UInt8]) {
        try await withThrowingTaskGroup(of: (status: Int, body: [UInt8]).self) { group in
            group.addTask {
                let response = try await http.execute(request, timeout: timeout)
                let body = try await response.body.collect(upTo: 64 * 1_024 * 1_024)
                return (Int(response.status.code), Array(buffer: body))
            }
            group.addTask {
                try await Task.sleep(for: .nanoseconds(timeout.nanoseconds))
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            guard let answer = try await group.next() else { throw HTTPClientError.deadlineExceeded }
            return answer
        }
    }
}
