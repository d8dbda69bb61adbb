import Foundation
import NIOCore
import NIOPosix
import Testing
import TillCore
import TillShop
import TillTestSupport

/// Answers the first bytes with a reset.
private final class ResetAtFirstByte: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        (context.channel as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            .whenFailure { _ in }
        context.close(promise: nil)
    }
}

@Suite("The webhook client trusts only the roots of the system and of the operator")
struct WebhookTLSTests {
    private let authority: TestAuthority
    private let roots: String

    init() throws {
        authority = try TestAuthority()
        roots = FileManager.default.temporaryDirectory.appending(path: "till-roots-\(UUID().uuidString).pem").path
        try authority.rootPEM.write(toFile: roots, atomically: true, encoding: .utf8)
    }

    private func post(to identity: WebhookReceiver.Identity?, isOldFashioned: Bool = false) async throws
        -> AttemptResult
    {
        let post = try await WebhookReceiver.start(identity: identity, isOldFashioned: isOldFashioned)
        let delivered = try await postOnce(to: "https://localhost:\(post.port)/", roots: [roots])
        #expect(post.requests.count == (delivered.result == .success ? 1 : 0))
        try await post.stop()
        return delivered
    }

    private func expectTLSIssue(_ delivered: AttemptResult) {
        #expect(delivered.result == .tlsIssue, "\(delivered)")
    }

    @Test("SUCCESS: the certificate chain leads to a root of the operator")
    func trusted() async throws {
        let delivered = try await post(to: authority.identity())
        #expect(delivered.result == .success, "\(delivered)")
    }

    @Test("TLS_ISSUE: the root certificate is unknown")
    func unknownRoot() async throws {
        let delivered = try await post(to: TestAuthority().identity())
        expectTLSIssue(delivered)
        #expect(delivered.explanation?.contains("the certificate is not valid") == true, "\(delivered)")
    }

    @Test("TLS_ISSUE: the certificate has expired or is not yet valid")
    func expired() async throws {
        expectTLSIssue(try await post(to: authority.identity(validDays: -9...(-2))))
        expectTLSIssue(try await post(to: authority.identity(validDays: 2...9)))
    }

    @Test("TLS_ISSUE: the certificate is self-signed")
    func selfSigned() async throws {
        expectTLSIssue(try await post(to: authority.identity(isSelfSigned: true)))
    }

    @Test("TLS_ISSUE: the certificate is for another host")
    func wrongHost() async throws {
        let delivered = try await post(to: authority.identity(for: "elsewhere.example"))
        expectTLSIssue(delivered)
        #expect(delivered.explanation?.hasSuffix("the certificate is for another host") == true)
    }

    @Test("TLS_ISSUE: the chain lacks its intermediate certificate")
    func incomplete() async throws {
        expectTLSIssue(try await post(to: authority.identity(isComplete: false)))
    }

    @Test("TLS_ISSUE: the endpoint supports only TLS 1.1")
    func outdatedTLS() async throws {
        expectTLSIssue(try await post(to: authority.identity(), isOldFashioned: true))
    }

    @Test("TLS_ISSUE: the port speaks plain HTTP")
    func plain() async throws {
        expectTLSIssue(try await post(to: nil))
    }

    @Test("TLS_ISSUE: the endpoint resets the connection during the handshake")
    func reset() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ResetAtFirstByte())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let delivered = try await postOnce(to: "https://127.0.0.1:\(server.localAddress?.port ?? 0)/")
        try await server.close()
        expectTLSIssue(delivered)
    }

    @Test("INVALID_RESPONSE: the client speaks plain HTTP to a port that speaks TLS")
    func tlsPort() async throws {
        let post = try await WebhookReceiver.start(identity: authority.identity())
        let delivered = try await postOnce(to: "http://localhost:\(post.port)/")
        #expect([.invalidResponse, .noResponse].contains(delivered.result))
        try await post.stop()
    }

    @Test(
        "Over TLS, the attempts have the same results",
        arguments: [
            (WebhookReceiver.Answer.close, SendAttemptResult.noResponse), (.closeMidway, .prematureClose),
            (.raw(Array("hello\r\n".utf8)), .invalidResponse),
            (.hang, .timedOut), (.charset("klingon"), .unsupportedCharset),
            (.rawThenClose(Array("HTTP/1.0 200 OK\r\n\r\nfine".utf8)), .success),
        ]
    )
    func ends(answer: WebhookReceiver.Answer, result: SendAttemptResult) async throws {
        let post = try await WebhookReceiver.start(identity: authority.identity()) { _ in answer }
        let limit = Duration.seconds(result == .timedOut ? 3 : 20)
        let delivered = try await postOnce(to: post.url, timeout: limit, roots: [roots])
        #expect(delivered.result == result, "\(delivered)")
        #expect(post.requests.count == 1)
        try await post.stop()
    }

    @Test("A file of root certificates that cannot be read is rejected at the start")
    func noRoots() {
        #expect(throws: (any Error).self) { try WebhookClient(extraRoots: ["/nowhere/roots.pem"]) }
    }
}
