import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// What carries the requests of a client: an HTTP client, or the router of a server in the same process.
package protocol ControlTransport: Sendable {
    /// Sends a message, and returns when the head of the answer has arrived.
    ///
    /// - Throws: `ControlUnreachable` if no answer arrives.
    func execute(_ message: ControlMessage, timeout: Duration) async throws -> ControlResponse
}

/// A request as it is sent.
package struct ControlMessage: Sendable {
    /// The HTTP method.
    package let method: String
    /// The complete URL.
    package let url: String
    /// Names and values.
    package let headers: [(name: String, value: String)]
    /// The body; nil for none.
    package let body: Body?

    /// The body of a request.
    package enum Body: Sendable {
        case bytes([UInt8])
        case stream(AsyncStream<[UInt8]>)
    }
}

/// An answer whose head has arrived.
package struct ControlResponse: Sendable {
    /// The HTTP status.
    package let status: Int
    /// The body.
    package let chunks: ControlChunks

    /// An answer with a status and a body.
    package init(status: Int, chunks: ControlChunks) {
        self.status = status
        self.chunks = chunks
    }
}

/// The body of an answer, in chunks as they arrive.
public struct ControlChunks: AsyncSequence, Sendable {
    private let chunks: any AsyncSequence<[UInt8], any Error> & Sendable

    /// A body that arrives in chunks.
    package init(_ chunks: any AsyncSequence<[UInt8], any Error> & Sendable) { self.chunks = chunks }

    /// Reads the chunks.
    public func makeAsyncIterator() -> Iterator { Iterator(iterator: chunks.makeAsyncIterator()) }

    /// Reads the chunks one after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var iterator: any AsyncIteratorProtocol<[UInt8], any Error>

        /// The next chunk; nil at the end.
        public mutating func next() async throws -> [UInt8]? { try await iterator.next(isolation: nil) }
    }

    /// The maximum length of an answer that is read as a whole.
    private static let maxBytes = 64 * 1_024 * 1_024

    /// The whole body, if it is complete in time. HTTPClient limits only the time to the head of an answer.
    func collect(until end: ContinuousClock.Instant) async throws -> [UInt8] {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            group.addTask {
                var bytes: [UInt8] = []
                for try await chunk in self {
                    bytes += chunk
                    guard bytes.count <= Self.maxBytes else { throw NIOTooManyBytesError(maxBytes: Self.maxBytes) }
                }
                return bytes
            }
            group.addTask {
                try await Task.sleep(until: end, clock: .continuous)
                throw HTTPClientError.deadlineExceeded
            }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }
}

extension HTTPClient {
    /// Like `shared`, but a connection that is refused fails the request at once. `shared` tries to connect until the
    /// time of the request is over.
    static let connectingOnce: HTTPClient = {
        var configuration = Configuration.singletonConfiguration
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension HTTPClient: ControlTransport {
    /// Whether an error means that no connection was made: by host name, by address, or in time.
    private static func isUnconnected(_ error: any Error) -> Bool {
        let codes = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH]
        return error is NIOConnectionError || (error as? HTTPClientError) == .connectTimeout
            || (error as? IOError).map { codes.contains($0.errnoCode) } ?? false
    }

    package func execute(_ message: ControlMessage, timeout: Duration) async throws -> ControlResponse {
        var request = HTTPClientRequest(url: message.url)
        request.method = .RAW(value: message.method)
        for (name, value) in message.headers { request.headers.add(name: name, value: value) }
        switch message.body {
        case .bytes(let bytes)?: request.body = .bytes(ByteBuffer(bytes: bytes))
        case .stream(let chunks)?: request.body = .stream(chunks.map { ByteBuffer(bytes: $0) }, length: .unknown)
        case nil: break
        }
        do {
            let response = try await execute(request, timeout: TimeAmount(timeout))
            return ControlResponse(
                status: Int(response.status.code),
                chunks: ControlChunks(response.body.map { Array(buffer: $0) })
            )
        } catch {
            throw ControlUnreachable(url: message.url, cause: "\(error)", mayHaveArrived: !Self.isUnconnected(error))
        }
    }
}
