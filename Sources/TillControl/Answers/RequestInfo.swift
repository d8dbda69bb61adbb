/// A logged request.
public struct RequestInfo: ControlObject {
    /// The request id from the answer.
    public var requestId: String
    /// When the request arrived, in milliseconds of real time since 1970.
    public var date: Timestamp
    /// The environment: Production or Sandbox.
    public var environment: String
    /// The HTTP method.
    public var method: String
    /// The path of the URL.
    public var path: String
    /// The HTTP status.
    public var status: Int
    /// The documented error code; absent for a 401.
    public var errorCode: Int?
    /// The app that the token claims.
    public var bundleId: String?
    /// The key id that the token claims.
    public var keyId: String?
    /// What was wrong with the request, and how to fix it.
    public var explanation: String
    /// The duration in milliseconds.
    public var milliseconds: Int?
    /// The request body, if the log keeps bodies (--request-log-bodies).
    public var requestBody: String?
    /// The response body, if the log keeps bodies.
    public var responseBody: String?

    public init(
        requestId: String,
        date: Timestamp,
        environment: String,
        method: String,
        path: String,
        status: Int,
        errorCode: Int? = nil,
        bundleId: String? = nil,
        keyId: String? = nil,
        explanation: String,
        milliseconds: Int? = nil,
        requestBody: String? = nil,
        responseBody: String? = nil
    ) {
        self.requestId = requestId
        self.date = date
        self.environment = environment
        self.method = method
        self.path = path
        self.status = status
        self.errorCode = errorCode
        self.bundleId = bundleId
        self.keyId = keyId
        self.explanation = explanation
        self.milliseconds = milliseconds
        self.requestBody = requestBody
        self.responseBody = responseBody
    }
}

/// A page of the request log.
public struct RequestList: ControlObject {
    /// The requests, newest first.
    public var entries: [RequestInfo]
    /// The value of `after` for the next page; absent on the last page. A page may be short or empty, because a request
    /// reads at most 1,000 entries.
    public var next: String?

    public init(entries: [RequestInfo], next: String? = nil) {
        self.entries = entries
        self.next = next
    }
}
