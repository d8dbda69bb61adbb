/// What carries the requests of a client: an HTTP client, or an imitation in a test.
public protocol AppStoreTransport: Sendable {
    /// Sends a request once, and returns the whole answer.
    ///
    /// It must throw when the timeout has passed, or when its task is cancelled.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - timeout: the time limit for the whole answer.
    ///   - maxBytes: the maximum length of the body of the answer.
    /// - Throws: `TransportFailure` if no complete answer arrives.
    func send(_ request: TransportRequest, timeout: Duration, maxBytes: Int) async throws -> TransportResponse
}

/// A request as it is sent.
public struct TransportRequest: Sendable {
    /// `GET`, `POST` or `PUT`.
    public let method: String
    /// The complete URL.
    public let url: String
    /// Names and values.
    public let headers: [(name: String, value: String)]
    /// The body; nil for none.
    public let body: [UInt8]?
}

/// An answer with its whole body.
public struct TransportResponse: Sendable {
    /// The HTTP status.
    public let status: Int
    /// Names and values, without redirects before them.
    public let headers: [(name: String, value: String)]
    /// The body.
    public let body: [UInt8]

    /// An answer.
    public init(status: Int, headers: [(name: String, value: String)] = [], body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The first value of a header, whose name may have any case.
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}

/// No complete answer arrived.
public struct TransportFailure: Error, Sendable {
    /// What failed.
    public let cause: String
    /// Whether the request may have reached the server. It is false if no connection was made.
    public let mayHaveArrived: Bool
    /// Whether the same request may succeed later. It is false for an invalid URL, and for an answer that is too long.
    public let canRetry: Bool

    /// A failure.
    public init(cause: String, mayHaveArrived: Bool, canRetry: Bool = true) {
        (self.cause, self.mayHaveArrived, self.canRetry) = (cause, mayHaveArrived, canRetry)
    }
}
