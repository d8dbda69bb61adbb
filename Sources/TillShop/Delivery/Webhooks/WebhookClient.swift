import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import TillCore
import TillStorage

/// Posts notifications to endpoints, one attempt per call. The results are those of Apple's notification history.
///
/// - An attempt has one time limit, from the name lookup to the last byte of the answer, including redirects.
/// - The client follows the redirects 301, 302, 303, 307 and 308 up to five times. It repeats the POST with its body,
///   because a GET would deliver nothing. For a repeated URL or a sixth redirect, the result is `CIRCULAR_REDIRECT`.
/// - Before each connection, `DestinationCheck` checks the address. The client does not follow a redirect to a refused
///   address, and the attempt ends with the status of the redirect. If the endpoint itself has a refused address, the
///   result is `OTHER`.
/// - The client uses HTTP/1.1 over plain TCP or over TLS 1.2 and later. It does not limit the number of connections, so
///   a slow endpoint delays only its own posts. The caller limits concurrency.
/// - An idle connection is kept for a few seconds. If the server closed it before it received a request, the client
///   sends the request once more on a new connection, within the same attempt. Over plain TCP, an orderly close shows
///   whether the server received the request. After a reset, and under TLS, this is unknown, and the client sends the
///   request again; receivers recognize duplicates by `notificationUUID`. A request on a new connection is never
///   repeated.
package final class WebhookClient: WebhookPosting {
    /// The maximum number of redirects that an attempt follows.
    private static let redirectLimit = 5
    private static let redirects: Set = [301, 302, 303, 307, 308]

    private let timeout: Duration
    private let idleLimit: TimeAmount
    private let userAgent: String
    private let tls: WebhookTLS
    private let destinations: DestinationCheck
    private let connections = WebhookConnections()

    /// The redirect that led to the current target.
    private struct Redirect {
        let origin: WebhookOrigin
        let status: Int
        /// Whether the redirecting server has a public address; true if its address is unknown.
        let isFromPublic: Bool
    }

    /// Creates a webhook client without connections.
    ///
    /// - Parameters:
    ///   - timeout: the time limit of one attempt.
    ///   - extraRoots: paths of PEM files with root certificates that are trusted in addition to those of the system.
    ///   - idleLimit: how long an idle connection is kept; the `Keep-Alive` field of a server can shorten this time.
    ///   - userAgent: the value of the `User-Agent` field of requests.
    ///   - destinations: decides which addresses are allowed.
    /// - Throws: an error if a file of `extraRoots` cannot be read.
    package init(
        timeout: Duration = .seconds(10),
        extraRoots: [String] = [],
        idleLimit: Duration = .seconds(4),
        userAgent: String = "Till/1",
        destinations: DestinationCheck = DestinationCheck()
    ) throws {
        self.destinations = destinations
        self.timeout = timeout
        self.idleLimit = TimeAmount(idleLimit)
        self.userAgent = userAgent
        tls = try WebhookTLS(extraRoots: extraRoots)
    }

    /// Makes one attempt to post a JSON body.
    ///
    /// - Parameter trace: the span of the delivery, for the header field `traceparent`; nil for none.
    package func post(_ body: [UInt8], to url: String, trace: TraceContext? = nil) async -> AttemptResult {
        let start = ContinuousClock.now
        let deadline = NIODeadline.now() + TimeAmount(timeout)
        let body = ByteBuffer(bytes: body)
        func ended(_ result: AttemptResult) -> AttemptResult {
            var result = result
            result.milliseconds = Int((ContinuousClock.now - start) / .milliseconds(1))
            return result
        }
        guard var target = WebhookTarget(url) else {
            return ended(Self.result(.other, nil, "the URL is not an http or https address with a host"))
        }
        var seen: Set = [target]
        var redirect: Redirect?
        while true {
            let answer: WebhookResponse
            do {
                answer = try await exchange(body, trace, with: target, after: redirect, by: deadline)
            } catch {
                return ended(Self.result(of: error, after: redirect))
            }
            guard Self.redirects.contains(answer.status) else {
                return ended(Self.result(of: answer, from: target.origin))
            }
            guard let next = answer.location.flatMap(target.redirected(to:)) else {
                let explanation = "\(target.origin) answered \(answer.status) without a valid Location"
                return ended(Self.result(.unsuccessfulHTTPResponseCode, answer.status, explanation))
            }
            guard seen.count <= Self.redirectLimit, seen.insert(next).inserted else {
                let limit = "more than \(Self.redirectLimit) redirects, the last by \(target.origin)"
                let circle = "\(target.origin) redirects to a URL that already redirected"
                let explanation = seen.count > Self.redirectLimit ? limit : circle
                return ended(Self.result(.circularRedirect, answer.status, explanation))
            }
            redirect = Redirect(
                origin: target.origin,
                status: answer.status,
                isFromPublic: answer.address.map { destinations.classify($0) == .publicUse } ?? true
            )
            target = next
        }
    }

    /// Closes all connections. Posts in progress and later posts end with `OTHER`.
    package func shutdown() async throws {
        await connections.close()
    }

    // MARK: - Results

    /// The result of a failed exchange. If Till refused the target of a redirect, the result has the status of the
    /// redirect, because the endpoint answered with that status.
    private static func result(of failure: WebhookFailure, after redirect: Redirect?) -> AttemptResult {
        var result = result(failure.result, nil, failure.explanation)
        guard let refusal = failure.refusal else { return result }
        if let redirect {
            let answer = "\(redirect.origin) answered \(redirect.status)"
            let explanation = "\(answer), and its redirect is not followed: \(refusal)"
            result = Self.result(.unsuccessfulHTTPResponseCode, redirect.status, explanation)
        }
        result.isRefused = true
        return result
    }

    /// The result of an answer that is not a redirect. An error status takes precedence over an unsupported charset.
    private static func result(of answer: WebhookResponse, from origin: WebhookOrigin) -> AttemptResult {
        guard (200...206).contains(answer.status) else {
            return result(.unsuccessfulHTTPResponseCode, answer.status, "\(origin) answered \(answer.status)")
        }
        if let charset = answer.contentType.flatMap(AnswerCharset.declared), !AnswerCharset.isReadable(charset) {
            let explanation = "the answer from \(origin) declares an unknown charset"
            return result(.unsupportedCharset, answer.status, explanation)
        }
        return result(.success, answer.status, nil)
    }

    private static func result(_ result: SendAttemptResult, _ status: Int?, _ explanation: String?) -> AttemptResult {
        AttemptResult(result: result, status: status, milliseconds: 0, explanation: explanation)
    }

    // MARK: - An exchange

    private func exchange(
        _ body: ByteBuffer,
        _ trace: TraceContext?,
        with target: WebhookTarget,
        after redirect: Redirect?,
        by deadline: NIODeadline
    ) async throws(WebhookFailure) -> WebhookResponse {
        let isFromPublic = redirect?.isFromPublic ?? false
        // The address of a kept connection was checked when it was opened, but not as the target of a redirect.
        var kept = connections.take(to: target.origin) { channel in
            !isFromPublic || channel.remoteAddress.map { isAllowed($0, of: target.origin) } ?? false
        }
        while true {
            let loop = kept?.eventLoop ?? MultiThreadedEventLoopGroup.singleton.next()
            let request = WebhookRequest(
                target: target,
                userAgent: userAgent,
                body: body,
                trace: trace,
                deadline: deadline,
                answer: loop.makePromise()
            )
            if let kept { request.send(on: kept) } else { connect(for: request, isFromPublic) }
            do {
                return try await request.answer.futureResult.get()
            } catch {
                let failure = WebhookFailure(error, at: target.origin)
                // The server had closed the reused connection, so the request is sent on a new connection.
                guard kept != nil, failure.isUntaken else { throw failure }
                kept = nil
            }
        }
    }

    private func isAllowed(_ address: SocketAddress, of origin: WebhookOrigin) -> Bool {
        (try? destinations.allowed([address], of: origin, isFromPublic: true))?.isEmpty == false
    }

    /// Connects, and sends the request in the same step, so that a failure of the TLS handshake reaches the request. If
    /// there is no connection, the request fails.
    private func connect(for request: WebhookRequest, _ isFromPublic: Bool) {
        let origin = request.target.origin
        let loop = request.answer.futureResult.eventLoop
        HostLookup.addresses(of: origin, by: request.deadline, on: loop)
            .flatMapThrowing { [connections, destinations] found in
                try connections.requireOpen()
                guard let found else { throw ChannelError.connectTimeout(.zero) }
                return try destinations.allowed(found, of: origin, isFromPublic: isFromPublic)
            }
            .flatMap { [self] addresses in
                ClientBootstrap(group: loop)
                    .resolver(ResolvedHost(loop: loop, addresses: addresses))
                    .connectTimeout(max(request.deadline - .now(), .milliseconds(1)))
                    .channelOption(ChannelOptions.allowRemoteHalfClosure, value: true)
                    .channelInitializer { [self] channel in
                        channel.eventLoop.makeCompletedFuture { try addHandlers(to: channel, origin) }
                    }
                    .connect(host: origin.host, port: origin.port)
            }
            .flatMapThrowing { [connections] channel in
                try connections.enter(channel, to: origin)
                request.send(on: channel)
            }
            .whenFailure { request.answer.fail($0) }
    }

    private func addHandlers(to channel: any Channel, _ origin: WebhookOrigin) throws {
        let wire = WireWatch()
        let answer = AnswerWatch()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(wire)
        if origin.isSecure {
            // SNI does not allow IP addresses. For an IP address, the certificate is checked against the address.
            let isAddress = (try? SocketAddress(ipAddress: origin.host, port: origin.port)) != nil
            let name = isAddress ? nil : origin.host
            try pipeline.addHandler(NIOSSLClientHandler(context: try tls.context(), serverHostname: name))
        }
        try pipeline.addHandler(answer)
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 64 * 1_024
        limits.maxHeaderListSize = 64 * 1_024
        try pipeline.addHTTPClientHandlers(
            leftOverBytesStrategy: .dropBytes,
            encoderConfiguration: HTTPRequestEncoder.Configuration(),
            decoderLimitConfiguration: limits
        )
        try pipeline.addHandler(
            WebhookExchange(origin: origin, connections: connections, idleLimit: idleLimit, wire: wire, answer: answer)
        )
    }
}
