import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends requests with AsyncHTTPClient.
struct HTTPClientTransport: AppStoreTransport {
    let client: HTTPClient

    func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse {
        var message = HTTPClientRequest(url: request.url)
        message.method = .RAW(value: request.method)
        for (name, value) in request.headers { message.headers.add(name: name, value: value) }
        message.body = request.body.map { .bytes(ByteBuffer(bytes: $0)) }
        do {
            return try await Self.within(timeout) { [message] in
                let response = try await client.execute(message, timeout: TimeAmount(timeout))
                let body = try await response.body.collect(upTo: maxBytes)
                return TransportResponse(
                    status: Int(response.status.code),
                    headers: response.headers.map { ($0.name, $0.value) },
                    body: Array(buffer: body)
                )
            }
        } catch {
            let scheme = String(request.url.prefix { $0 != ":" })
            let invalid: [HTTPClientError] = [.invalidURL, .emptyHost, .unsupportedScheme(scheme)]
            let isInvalid = (error as? HTTPClientError).map(invalid.contains) ?? false
            throw TransportFailure(
                cause: "\(error)",
                mayHaveArrived: !isInvalid && !Self.isUnconnected(error),
                canRetry: !isInvalid && !(error is NIOTooManyBytesError)
            )
        }
    }

    /// HTTPClient limits only the time to the head of an answer.
    private static func within(
        _ timeout: Duration,
        _ exchange: @escaping @Sendable () async throws -> TransportResponse
    ) async throws -> TransportResponse {
        try await withThrowingTaskGroup(of: TransportResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask(operation: exchange)
            group.addTask {
                try await Task.sleep(for: timeout)
                throw HTTPClientError.deadlineExceeded
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    /// Whether an error means that no connection was made: by host name, by address, or in time.
    private static func isUnconnected(_ error: any Error) -> Bool {
        let codes = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH]
        return error is NIOConnectionError || (error as? HTTPClientError) == .connectTimeout
            || (error as? IOError).map { codes.contains($0.errnoCode) } ?? false
    }
}
