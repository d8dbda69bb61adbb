import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Sends HTTP requests.
enum WebClient {
    /// The HTTP client of the command. It does not retry, so that the command reports a missing server at once.
    static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// Sends a request and reads the whole answer.
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
