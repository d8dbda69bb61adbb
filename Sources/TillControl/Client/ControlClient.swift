import AsyncHTTPClient
import TillJSON

/// A client of a server's control API.
///
/// ```swift
/// let till = ControlClient("http://127.0.0.1:8890")
/// let app = AppEnvironment("com.example.shop")
/// let bought = try await till.send(BuyProduct(app: app, customer: "ann", productId: "com.example.pro.month"))
/// ```
public struct ControlClient: Sendable {
    /// The URL of the control API, without a slash at its end.
    public let url: String
    private let token: String?
    private let transport: any ControlTransport

    /// A client of the server at a URL.
    ///
    /// - Parameters:
    ///   - url: the URL of the control API, such as `http://127.0.0.1:8890`.
    ///   - token: a token of the control API; a server on the same machine needs none by default.
    ///   - http: the HTTP client to use.
    public init(_ url: String, token: String? = nil, http: HTTPClient = .shared) {
        self.init(url, token: token, transport: http)
    }

    /// A client that does not try again to connect if no server listens.
    package init(connectingOnce url: String, token: String?) {
        self.init(url, token: token, http: .connectingOnce)
    }

    /// A client with another transport, such as a router in the same process.
    package init(_ url: String, token: String? = nil, transport: any ControlTransport) {
        self.url = url.last == "/" ? String(url.dropLast()) : url
        self.token = token
        self.transport = transport
    }

    /// Sends a request.
    ///
    /// - Parameter timeout: how long to wait for the whole answer, in addition to `settle`. An advance of a clock can
    ///   take minutes.
    /// - Throws: `ControlFailure` if the server refuses the request; `ControlUnreachable` if no answer arrives.
    public func send<Request: ControlRequest>(_ request: Request, timeout: Duration = .seconds(60)) async throws
        -> Request.Answer
    {
        let parts = try RequestParts(request)
        let body = parts.body.map { ControlMessage.Body.bytes($0.compact) }
        let settling = Duration.seconds((request as? any SettlingRequest)?.settle ?? 0)
        return try await answer(to: request, parts, body, "application/json", timeout + settling)
    }

    /// Sends a request whose body is a document, such as a `.storekit` file.
    ///
    /// - Throws: `ControlFailure` if the server refuses the request; `ControlUnreachable` if no answer arrives.
    public func upload<Request: ControlUpload>(
        _ request: Request,
        _ document: [UInt8],
        timeout: Duration = .seconds(60)
    ) async throws -> Request.Answer {
        try await answer(to: request, try RequestParts(request), .bytes(document), Request.mediaType, timeout)
    }

    /// Sends a request with its document.
    ///
    /// - Throws: `ControlFailure` if the server refuses the request; `ControlUnreachable` if no answer arrives.
    public func upload<Request: DocumentUpload>(
        _ request: Request,
        _ document: Request.Document,
        timeout: Duration = .seconds(60)
    ) async throws -> Request.Answer {
        try await upload(request, try JSONTree(encoding: document).compact, timeout: timeout)
    }

    /// Sends a request whose body is streamed in chunks.
    ///
    /// - Throws: `ControlFailure` if the server refuses the request; `ControlUnreachable` if no answer arrives.
    public func upload<Request: ControlUpload>(
        _ request: Request,
        chunks: AsyncStream<[UInt8]>,
        timeout: Duration = .seconds(3_600)
    ) async throws -> Request.Answer {
        let parts = try RequestParts(request)
        return try await answer(to: request, parts, .stream(chunks), Request.mediaType, timeout)
    }

    /// Sends a request whose answer is streamed in chunks of JSON lines.
    ///
    /// - Throws: `ControlFailure` if the server refuses the request; `ControlUnreachable` if no answer arrives. The
    ///   sequence throws if the answer is interrupted.
    public func download(_ request: some ControlDownload, timeout: Duration = .seconds(3_600)) async throws
        -> ControlChunks
    {
        let response = try await open(request, try RequestParts(request), nil, "application/json", timeout)
        return response.chunks
    }

    private func answer<Request: ControlRequest>(
        to request: Request,
        _ parts: RequestParts,
        _ body: ControlMessage.Body?,
        _ mediaType: String,
        _ timeout: Duration
    ) async throws -> Request.Answer {
        let end = ContinuousClock.now + timeout
        let response = try await open(request, parts, body, mediaType, timeout)
        let bytes = try await collect(response, parts, until: end)
        let tree = response.status == 204 ? JSONTree.object([]) : try? JSONTree.parse(bytes)
        guard let tree, let answer = try? tree.decode(Request.Answer.self) else {
            let error = ErrorInfo(code: "bad_answer", message: "The answer is not that of a Till of this version.")
            throw ControlFailure(status: response.status, error: error)
        }
        return answer
    }

    /// Sends a message, and throws a refusal of the server.
    private func open(
        _ request: some ControlCallable,
        _ parts: RequestParts,
        _ body: ControlMessage.Body?,
        _ mediaType: String,
        _ timeout: Duration
    ) async throws -> ControlResponse {
        let end = ContinuousClock.now + timeout
        var headers: [(String, String)] = []
        if let token { headers.append(("Authorization", "Bearer \(token)")) }
        if body != nil { headers.append(("Content-Type", mediaType)) }
        let response = try await transport.execute(
            ControlMessage(
                method: type(of: request).operation.method.rawValue,
                url: url + parts.target,
                headers: headers,
                body: body
            ),
            timeout: timeout
        )
        guard (200..<300).contains(response.status) else {
            throw ControlFailure(status: response.status, body: try await collect(response, parts, until: end))
        }
        return response
    }

    private func collect(
        _ response: ControlResponse,
        _ parts: RequestParts,
        until end: ContinuousClock.Instant
    ) async throws -> [UInt8] {
        do {
            return try await response.chunks.collect(until: end)
        } catch {
            throw ControlUnreachable(url: url + parts.target, cause: "\(error)", mayHaveArrived: true)
        }
    }
}
