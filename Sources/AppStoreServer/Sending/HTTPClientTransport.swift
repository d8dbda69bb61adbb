import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Sends requests with AsyncHTTPClient.
struct HTTPClientTransport: AppStoreTransport {
    let client: HTTPClient

    func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
        // AsyncHTTPClient traps on a larger number.
        if let port = URLComponents(string: request.url)?.port, !(1...65_535).contains(port) {
            throw TransportFailure(cause: "\(port) is not a port", mayHaveArrived: false, canRetry: false)
        }
        var message = HTTPClientRequest(url: request.url)
        message.method = .RAW(value: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        message.body = request.body.map { .bytes(ByteBuffer(bytes: $0)) }
        let end = ContinuousClock.now + timeout
        do {
            let response = try await client.execute(message, timeout: TimeAmount(timeout))
            return TransportResponse(
                status: Int(response.status.code),
                headers: response.headers.map { ($0.name, $0.value) },
                body: try await Self.collect(response.body, upTo: maxBytes, until: end)
            )
        } catch {
            let scheme = String(request.url.prefix { $0 != ":" })
            let invalid: [HTTPClientError] = [.invalidURL, .emptyHost, .unsupportedScheme(scheme)]
            let isInvalid = (error as? HTTPClientError).map(invalid.contains) ?? false
            throw TransportFailure(
                cause: Self.words(error, request.url, maxBytes),
                mayHaveArrived: !isInvalid && !Self.isUnconnected(error),
                // A certificate that is not trusted does not become trusted within a minute.
                canRetry: !isInvalid && !(error is NIOTooManyBytesError) && !Self.isHandshake(error)
            )
        }
    }

    /// What failed. The most frequent failures have words that say what to look at.
    private static func words(_ error: any Error, _ url: String, _ maxBytes: Int) -> String {
        let parts = URLComponents(string: url)
        let host = parts?.host ?? ServerAddress(url: url).description
        let place = "\(host):\(parts?.port ?? (parts?.scheme == "http" ? 80 : 443))"
        switch error {
        case is NIOTooManyBytesError: return "the answer has more than \(maxBytes) bytes"
        case let error as IOError: return words(errno: error.errnoCode, place) ?? "\(error)"
        case let error as NIOConnectionError:
            guard let first = error.connectionErrors.first else { return "the name \(host) has no address" }
            return (first.error as? IOError).flatMap { words(errno: $0.errnoCode, place) } ?? "\(error)"
        case let error as HTTPClientError:
            switch error {
            case .connectTimeout: return "no connection to \(place) in time"
            case .deadlineExceeded, .readTimeout: return "\(place) did not answer in time"
            case .remoteConnectionClosed: return words(errno: ECONNRESET, place) ?? "\(error)"
            case .tlsHandshakeTimeout: return "no TLS connection to \(place) in time"
            case .invalidURL, .emptyHost: return "\(ServerAddress(url: url)) is not a URL of HTTP"
            default: return "\(error)"
            }
        case HTTPParserError.invalidEOFState: return words(errno: ECONNRESET, place) ?? "\(error)"
        default: return isHandshake(error) ? handshake(error, place) : "\(error)"
        }
    }

    /// The text of BoringSSL's error contains a path of the machine that built it, and the reason in capitals.
    private static func handshake(_ error: any Error, _ place: String) -> String {
        let text = "\(error)"
        if error is NIOSSLExtraError || text.contains("CERTIFICATE_VERIFY_FAILED") {
            return "the certificate of \(place) is not trusted, or is for another host"
        }
        let reason = text.firstMatch(of: /[A-Z0-9]+(_[A-Z0-9]+)+/).map { ": \($0.output.0)" } ?? ""
        return "no TLS connection to \(place)\(reason)"
    }

    private static func words(errno: CInt, _ place: String) -> String? {
        switch errno {
        case ECONNREFUSED: "nothing listens at \(place)"
        case EHOSTUNREACH, ENETUNREACH: "the network has no way to \(place)"
        case ECONNRESET, EPIPE: "\(place) closed the connection before the answer was complete"
        case ETIMEDOUT: "no connection to \(place) in time"
        default: nil
        }
    }

    /// The whole body. HTTPClient limits only the time to the head of an answer.
    private static func collect(
        _ body: HTTPClientResponse.Body,
        upTo maxBytes: Int,
        until end: ContinuousClock.Instant
    ) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            defer { group.cancelAll() }
            group.addTask { Array(buffer: try await body.collect(upTo: maxBytes)) }
            group.addTask {
                try await Task.sleep(until: end, clock: .continuous)
                throw HTTPClientError.deadlineExceeded
            }
            return try await group.next() ?? []
        }
    }

    /// Whether an error means that no connection was made: by host name, by address, in time, or with TLS.
    private static func isUnconnected(_ error: any Error) -> Bool {
        switch error {
        case is NIOConnectionError: true
        case let error as HTTPClientError: error == .connectTimeout || error == .tlsHandshakeTimeout
        case let error as IOError: [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode)
        default: isHandshake(error)
        }
    }

    /// Whether an error means that a handshake of TLS failed, such as that the certificate is not trusted.
    private static func isHandshake(_ error: any Error) -> Bool {
        switch error {
        case NIOSSLError.handshakeFailed, NIOSSLError.unableToValidateCertificate, is NIOSSLExtraError: true
        default: false
        }
    }
}

extension HTTPClient {
    /// The client that all clients share by default. Unlike `HTTPClient.shared`, it reports at once that a connection
    /// cannot be made, because retries have their own rules here, and follows no redirects, which would carry tokens to
    /// another server.
    static let withoutRetries: HTTPClient = {
        var configuration = HTTPClient.Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.redirectConfiguration = .disallow
        return HTTPClient(configuration: configuration)
    }()
}
