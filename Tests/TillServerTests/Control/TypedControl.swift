import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TillControl
import TillServer
import TillTestSupport

/// The control API of a test's shop with the public client. Requests go through the router of the control port, but
/// through no socket, so that a breakpoint in a handler works.
struct TypedControl: Sendable {
    /// The client, for requests of any kind.
    let till: ControlClient
    /// The shop that the client controls.
    let test: TestShop
    /// The shop's app in the sandbox.
    let app = AppEnvironment(TestShop.bundleID)

    /// Runs a test with the control API of a shop.
    static func run(
        _ test: TestShop,
        token: String? = nil,
        _ body: @escaping @Sendable (TypedControl) async throws -> Void
    ) async throws {
        let control = test.controlAPI(ControlGuard(token: token, hosts: ["till.internal"]))
        try await Application(router: control.router()).test(.router) { client in
            let till = ControlClient("", token: token, transport: RouterTransport(client: client))
            try await body(TypedControl(till: till, test: test))
        }
    }

    /// Sends a request.
    func send<Request: ControlRequest>(_ request: Request) async throws -> Request.Answer {
        try await till.send(request)
    }

    /// The code and status with which the server refuses a request; nil if it does not.
    func refusal(of request: some ControlRequest) async throws -> Refusal? {
        do {
            _ = try await till.send(request)
            return nil
        } catch let failure as ControlFailure {
            return Refusal(failure.status, failure.error.code)
        }
    }

    /// A refusal of the server.
    struct Refusal: Equatable, CustomStringConvertible {
        let status: Int
        let code: String

        init(_ status: Int, _ code: String) {
            self.status = status
            self.code = code
        }

        var description: String { "\(status) \(code)" }
    }
}

/// Sends the requests of a client to a router in this process.
private struct RouterTransport: ControlTransport {
    let client: any TestClientProtocol

    func execute(_ message: ControlMessage, timeout: Duration) async throws -> ControlResponse {
        var headers = HTTPFields()
        for (name, value) in message.headers { HTTPField.Name(name).map { headers[$0] = value } }
        var body: ByteBuffer?
        switch message.body {
        case .bytes(let bytes)?: body = ByteBuffer(bytes: bytes)
        case .stream(let chunks)?:
            var collected = ByteBuffer()
            for await chunk in chunks { collected.writeBytes(chunk) }
            body = collected
        case nil: break
        }
        return try await client.execute(
            uri: message.url,
            method: HTTPRequest.Method(rawValue: message.method) ?? .get,
            headers: headers,
            body: body
        ) { response in
            let (chunks, continuation) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
            continuation.yield(Array(buffer: response.body))
            continuation.finish()
            return ControlResponse(status: response.status.code, chunks: ControlChunks(chunks))
        }
    }
}
