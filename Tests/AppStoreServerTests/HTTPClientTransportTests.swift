import AsyncHTTPClient
import NIOCore
import NIOPosix
import Testing

@testable import AppStoreServer

/// Requests over a real connection on the loopback interface.
@Suite("Requests with AsyncHTTPClient")
struct HTTPClientTransportTests {
    /// Answers the first bytes of a connection with a text, and closes it.
    private final class CannedAnswer: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let answer: String?

        /// - Parameter answer: nil to leave the connection open without an answer.
        init(_ answer: String?) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard let answer else { return }
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: answer)), promise: nil)
            context.close(promise: nil)
        }
    }

    /// Sends a request to a server with a canned answer.
    private func send(
        to answer: String?,
        with scheme: String = "http",
        timeout: Duration = .seconds(20)
    ) async throws -> TransportResponse {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(CannedAnswer(answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let outcome = await Result.catching { [port = server.localAddress?.port ?? 0] in
            try await request("\(scheme)://127.0.0.1:\(port)/inApps", timeout: timeout)
        }
        try await server.close().get()
        return try outcome.get()
    }

    private func request(_ url: String, timeout: Duration = .seconds(20)) async throws -> TransportResponse {
        let request = TransportRequest(method: "PUT", url: url, headers: [("Accept", "a/b")], body: [1, 2])
        return try await HTTPClientTransport(client: .withoutRetries).send(request, timeout: timeout, maxBytes: 100)
    }

    private func failure(_ call: () async throws -> TransportResponse) async throws -> TransportFailure? {
        do {
            _ = try await call()
            return nil
        } catch let error as TransportFailure {
            return error
        }
    }

    @Test("An answer has its status, headers and body")
    func answer() async throws {
        let text = "HTTP/1.1 404 Not Found\r\nRetry-After: 5\r\nContent-Length: 2\r\n\r\n{}"
        let response = try await send(to: text)
        #expect(response.status == 404 && response.body == Array("{}".utf8) && response.header("retry-after") == "5")
    }

    @Test(
        "A connection that is cut, and half of a body, are failures of a request that may have arrived",
        arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{", "HTTP/1.1 200 OK\r\nTransfer-Enc"]
    )
    func cut(answer: String) async throws {
        let failure = try #require(try await failure { try await send(to: answer) })
        #expect(failure.mayHaveArrived && failure.canRetry)
    }

    @Test("An answer that is too long cannot be asked for again")
    func long() async throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\n" + String(repeating: " ", count: 101)
        let failure = try #require(try await failure { try await send(to: text) })
        #expect(failure.mayHaveArrived && !failure.canRetry)
    }

    @Test("No answer, and an answer without an end, are failures at the time limit")
    func slow() async throws {
        let failure = try #require(try await failure { try await send(to: nil, timeout: .milliseconds(50)) })
        #expect(failure.mayHaveArrived && failure.canRetry)
    }

    @Test("A request to a port without a listener did not arrive")
    func refused() async throws {
        let failure = try #require(try await failure { try await request("http://127.0.0.1:1/") })
        #expect(!failure.mayHaveArrived && failure.canRetry)
        #expect(failure.cause == "nothing listens at 127.0.0.1:1")
        let named = try #require(try await self.failure { try await request("http://localhost:1/") })
        #expect(named.cause == "nothing listens at localhost:1" && !named.mayHaveArrived)
    }

    @Test("A request whose TLS handshake failed did not arrive")
    func handshake() async throws {
        let answer = "HTTP/1.1 400 Bad Request\r\n\r\n"
        let failure = try #require(try await failure { try await send(to: answer, with: "https") })
        #expect(!failure.mayHaveArrived && !failure.canRetry)
        let words = /no TLS connection to 127\.0\.0\.1:[0-9]+: WRONG_VERSION_NUMBER/
        #expect(failure.cause.wholeMatch(of: words) != nil, "\(failure.cause)")
    }

    @Test("An error does not show the password of a URL")
    func password() async throws {
        #expect(ServerAddress(url: "http://me:secret@127.0.0.1:1/").description == "http://127.0.0.1:1")
        let failure = try #require(try await failure { try await request("me:secret@127.0.0.1") })
        #expect(!failure.cause.contains("secret"), "\(failure.cause)")
    }

    @Test("An invalid URL cannot succeed later", arguments: ["till:8889/inApps", "127.0.0.1:8889", ""])
    func invalid(url: String) async throws {
        let failure = try #require(try await failure { try await request(url) })
        #expect(!failure.mayHaveArrived && !failure.canRetry)
    }
}

extension Result where Failure == any Error {
    fileprivate static func catching(_ body: () async throws -> Success) async -> Self {
        do {
            return .success(try await body())
        } catch {
            return .failure(error)
        }
    }
}
