import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import TillControl
import TillJSON
import TillServer
import TillShop

/// Calls operations of the control API that are not declared as types yet.
struct RawControlClient: Sendable {
    let address: String
    let token: String?
    let directory: DataDirectory

    /// The client for declared operations.
    var typed: ControlClient { ControlClient(address, token: token, http: WebClient.http) }

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
        let (status, bytes) = try await WebClient.exchange(request, at: address, timeout: timeout)
        if status == 204 { return .object([]) }
        let tree = try? JSONTree.parse(bytes)
        guard (200..<300).contains(status), let tree else { throw Self.refusal(tree, status) }
        return tree
    }

    /// A refusal from an answer; nil if the server sent no JSON.
    static func refusal(_ tree: JSONTree?, _ status: Int) -> CommandRefused {
        let unknown = ErrorInfo(code: "http_\(status)", message: "The server answered \(status).")
        let error = (try? tree?.decode(ErrorInfo.self)) ?? unknown
        return CommandRefused(ControlFailure(status: status, error: error))
    }

    /// Sends a request and returns the answer. The caller reads the body.
    static func open(_ request: HTTPClientRequest, at address: String, timeout: TimeAmount) async throws
        -> HTTPClientResponse
    {
        do {
            return try await WebClient.http.execute(request, timeout: timeout)
        } catch {
            throw ServerNotReached(at: address)
        }
    }
}

/// The apps of a server.
struct ListApps: ControlRequest {
    static let operation = ControlOperation(.get, "/v1/apps", tag: .setup)

    struct Answer: ControlObject {
        var apps: [App]
    }

    struct App: ControlObject {
        var bundleId: String
    }
}

extension ServerOptions {
    func rawClient() throws -> RawControlClient {
        let server = try server()
        return RawControlClient(address: server.address, token: server.token, directory: server.directory)
    }

    /// Calls the server and prints the answer.
    func showRaw(
        _ ask: (RawControlClient) async throws -> JSONTree,
        as text: (JSONTree) -> String = { Output.lines($0) }
    ) async throws {
        let answer = try await ask(try rawClient())
        print(json ? String(decoding: answer.written(), as: UTF8.self) : text(answer))
    }
}

extension ScopeOptions {
    /// The path of the app's environment in the control API: `/v1/apps/com.example/sandbox`.
    func path(_ client: RawControlClient) async throws -> String {
        let app = try await app(client.typed)
        return "/v1/apps/\(escaped(app.bundleId))/\(app.environment.rawValue)"
    }
}

extension ActionOptions {
    /// The body of an operation, with the time.
    func body(_ members: KeyValuePairs<String, JSONTree?>) -> JSONTree {
        let given = members.compactMap { key, value in value.map { JSONTree.Member(key, $0) } }
        let instant = time.map { JSONTree.Member("at", .number(String($0.milliseconds))) }
        return .object(given + [instant].compactMap(\.self))
    }
}

extension ActionSummary {
    /// A date of the answer: in ISO 8601 and in milliseconds.
    static func date(_ tree: JSONTree?) -> String? {
        tree?.number.map { date(Timestamp(milliseconds: $0)) }
    }
}

/// Percent-encodes one part of a path.
func escaped(_ text: String) -> String { PercentEncoding.encoded(text) }
