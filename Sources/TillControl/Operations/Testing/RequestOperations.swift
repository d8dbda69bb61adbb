/// Lists logged requests, newest first: refused requests, or all with --request-log-all.
public struct ListRequests: ControlRequest {
    public typealias Answer = RequestList
    public static let operation = ControlOperation(.get, "/v1/requests", tag: .testing)
    public static let limits = [ControlLimit.range(CodingKeys.limit, 1...100)]

    /// Whether to list only refused requests.
    public var refused: Bool?
    /// Only requests whose token claims this app.
    public var bundleId: String?
    /// Only requests whose path contains this text.
    public var path: String?
    /// Only requests answered with this HTTP status or error code.
    public var status: Int?
    /// The value of `next` from the previous page.
    public var after: String?
    /// The maximum number of results; 20 by default.
    public var limit: Int?

    public init(
        refused: Bool? = nil,
        bundleId: String? = nil,
        path: String? = nil,
        status: Int? = nil,
        after: String? = nil,
        limit: Int? = nil
    ) {
        self.refused = refused
        self.bundleId = bundleId
        self.path = path
        self.status = status
        self.after = after
        self.limit = limit
    }
}

/// Shows a logged request, and why it was refused.
public struct ExplainRequest: ControlRequest {
    public typealias Answer = RequestInfo
    public static let operation = ControlOperation(.get, "/v1/requests/{requestId}", tag: .testing)

    /// The request id in an answer of the App Store Server API.
    public var requestId: String

    public init(requestId: String) {
        self.requestId = requestId
    }
}
